package io.ntrail.formats.bytes;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;

/**
 * XML of unknown origin: no document type, no entities of the document's own, nothing fetched; and
 * text that is not valid in its encoding is found before the parser is, which writes a line of its
 * own to the error stream of the program before it throws.
 */
public final class XmlText {
  private static final Pattern DECLARED =
      Pattern.compile("^<\\?xml[^>]*\\sencoding\\s*=\\s*[\"']([A-Za-z0-9._-]+)[\"']");
  private static final int DECLARATION = 200;

  private XmlText() {}

  /** Returns a parser's factory. */
  public static XMLInputFactory factory() {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setXMLResolver((publicId, systemId, base, namespace) -> {
      throw new XMLStreamException("refers to an external entity: " + systemId);
    });
    return factory;
  }

  /** Returns place and reason if the bytes are not valid text in their encoding; empty if so. */
  public static String problem(byte[] xml) {
    Charset charset = charset(xml);
    // The parser reports unknown encodings.
    return charset == null || isText(xml, charset)
        ? ""
        : ", line " + lineOfEnd(xml, charset) + ": not XML: not valid text in " + charset.name();
  }

  /** Returns place and reason of what a parser found. */
  public static String problem(XMLStreamException found) {
    String message = String.valueOf(found.getMessage());
    // The parser puts its own place before the message, on a line of its own.
    int own = message.indexOf("Message: ");
    String what = (own < 0 ? message : message.substring(own + 9)).lines().findFirst().orElse("");
    return (found.getLocation() == null ? "" : ", line " + found.getLocation().getLineNumber())
        + ": not XML: "
        + what;
  }

  /** Returns whether an exception is one in which the parser wraps what it finds. */
  public static boolean isOfParser(RuntimeException found) {
    return found.getClass().getName().startsWith("com.sun.org.apache.xerces.");
  }

  /** A reader that throws at invalid text instead of replacing it. */
  private static Reader reader(byte[] xml, Charset charset) {
    return new InputStreamReader(new ByteArrayInputStream(xml), charset.newDecoder());
  }

  private static boolean isText(byte[] xml, Charset charset) {
    char[] chars = new char[1 << 13];
    try (Reader text = reader(xml, charset)) {
      while (text.read(chars) >= 0) {
        // Only whether it throws matters.
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The line that reading ends in: character by character, since what throws gives none. */
  private static int lineOfEnd(byte[] xml, Charset charset) {
    int line = 1;
    try (Reader text = reader(xml, charset)) {
      for (int c = text.read(); c >= 0; c = text.read()) {
        line += c == '\n' ? 1 : 0;
      }
    } catch (IOException e) {
      // Here it is.
      return line;
    }
    return line;
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
