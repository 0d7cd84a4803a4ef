package io.ntrail.formats.schema;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether the bytes of a manifest are text in its encoding. The parser would find out, too, but it
 * writes a line of its own to the error stream of the program before it throws.
 */
final class ManifestEncoding {
  private static final Pattern DECLARED =
      Pattern.compile("^<\\?xml[^>]*\\sencoding\\s*=\\s*[\"']([A-Za-z0-9._-]+)[\"']");
  private static final int DECLARATION = 200;

  private ManifestEncoding() {}

  static void check(byte[] xml) throws ManifestReader.NoManifest {
    Charset charset = charset(xml);
    if (charset == null) {
      // The parser says which encoding it does not know.
      return;
    }
    CharsetDecoder decoder =
        charset
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(xml);
    CharBuffer out = CharBuffer.allocate(1 << 13);
    int line = 1;
    CoderResult result;
    do {
      out.clear();
      result = decoder.decode(in, out, true);
      for (int i = 0; i < out.position(); i++) {
        line += out.get(i) == '\n' ? 1 : 0;
      }
    } while (result.isOverflow());
    if (result.isError()) {
      throw new ManifestReader.NoManifest(
          ", line " + line + ": no XML: bytes that are no text in " + charset.name());
    }
  }

  /** By the mark at the start, else by the first character, else by the declaration. */
  private static @Nullable Charset charset(byte[] xml) {
    int first = xml.length < 2 ? 0 : (xml[0] & 0xFF) << 8 | xml[1] & 0xFF;
    if (first == 0xFFFE || first == 0x3C00) {
      return StandardCharsets.UTF_16LE;
    }
    if (first == 0xFEFF || first == 0x003C) {
      return StandardCharsets.UTF_16BE;
    }
    int from = first == 0xEFBB ? 3 : 0;
    int length = Math.clamp(xml.length - from, 0, DECLARATION);
    String start = length == 0 ? "" : new String(xml, from, length, StandardCharsets.ISO_8859_1);
    Matcher declared = DECLARED.matcher(start);
    try {
      return declared.find() ? Charset.forName(declared.group(1)) : StandardCharsets.UTF_8;
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      return null;
    }
  }
}
