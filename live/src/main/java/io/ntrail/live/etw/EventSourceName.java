package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * GUIDs that EventSource (.NET) and TraceLogging derive from the name of a provider, so that it
 * need not be registered.
 *
 * <p>Source: EventSource.cs of .NET; checked with two providers of Windows.
 */
public final class EventSourceName {
  private static final byte[] NAMESPACE =
      HexFormat.of().parseHex("482c2db2c39047c887f81a15bfc130fb");

  private static final int VERSION_BYTE = 7;
  private static final int BYTES = 16;

  private EventSourceName() {}

  /** Returns the GUID of a name; upper and lower case are the same. */
  public static Guid guid(String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(NAMESPACE);
      digest.update(name.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_16BE));
      byte[] bytes = Arrays.copyOf(digest.digest(), BYTES);
      bytes[VERSION_BYTE] = (byte) (bytes[VERSION_BYTE] & 0x0F | 0x50);
      return Guid.read(Bytes.copyOf(bytes, "name"), 0);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
