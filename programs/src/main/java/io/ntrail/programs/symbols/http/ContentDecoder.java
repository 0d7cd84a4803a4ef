package io.ntrail.programs.symbols.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** Takes off what a server packed a file in for the way. */
final class ContentDecoder {
  private static final int CHUNK = 1 << 16;

  private ContentDecoder() {}

  /**
   * Unpacks a file in its place.
   *
   * @param encoding {@code gzip} or {@code deflate}
   * @param most bytes that may come out
   * @throws IOException if it is damaged, or too large
   */
  static void inPlace(Path file, String encoding, long most) throws IOException {
    Path plain = file.resolveSibling(file.getFileName() + ".plain");
    plain.toFile().deleteOnExit();
    try {
      try (InputStream packed = new BufferedInputStream(Files.newInputStream(file), CHUNK);
          OutputStream out = Files.newOutputStream(plain)) {
        if (encoding.equals("gzip")) {
          copy(new GZIPInputStream(packed, CHUNK), out, most);
        } else {
          inflate(packed, out, most);
        }
      }
      Files.move(plain, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(plain);
    }
  }

  private static void inflate(InputStream packed, OutputStream out, long most) throws IOException {
    // Half of the world leaves out the two bytes of zlib that the standard asks for.
    packed.mark(2);
    int first = packed.read();
    int second = packed.read();
    packed.reset();
    boolean isZlib = (first & 0x0F) == 8 && ((first << 8) + second) % 31 == 0;
    Inflater inflater = new Inflater(!isZlib);
    try {
      copy(new InflaterInputStream(packed, inflater, CHUNK), out, most);
    } finally {
      inflater.end();
    }
  }

  private static void copy(InputStream in, OutputStream out, long most) throws IOException {
    byte[] chunk = new byte[CHUNK];
    long written = 0;
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      written += n;
      if (written > most) {
        throw new IOException("it decompresses to more than %,d bytes".formatted(most));
      }
      out.write(chunk, 0, n);
    }
  }
}
