package io.ntrail.live.etw;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Request for a session: EVENT_TRACE_PROPERTIES with its names, as StartTrace and ControlTrace take
 * it.
 *
 * <p>Sources: evntrace.h of mingw-w64 and Wine; NativeMethods of PerfView; the block that xperf
 * used, as published.
 *
 * @param name of the session, by which it is stopped
 * @param file path of the recording; empty: none
 * @param guid of the session; zero: Windows makes one
 * @param buffers memory for events
 * @param mode bits of {@link SessionMode}
 * @param mebibytes size of the file at which it ends or begins anew; 0: none
 * @param flushSeconds after which buffers are written though they are not full; 0: never
 * @param flags EnableFlags: word 0 of the groups; 0 for sessions that are not the kernel's
 * @param extension says what EnableFlags cannot, and takes its place
 * @param options V2Options of Windows 10 1703 and later; empty: the structure of before
 */
public record SessionProperties(
    String name,
    String file,
    Guid guid,
    Buffers buffers,
    int mode,
    int mebibytes,
    int flushSeconds,
    int flags,
    Optional<FlagExtension> extension,
    OptionalLong options) {
  /**
   * Memory for events.
   *
   * @param kibibytes size of a buffer
   * @param least buffers from the beginning
   * @param most buffers at all
   */
  public record Buffers(int kibibytes, int least, int most) {}

  /** Bytes of EVENT_TRACE_PROPERTIES in 32-bit code, too: it is aligned to 8 bytes. */
  static final int HEAD = 0x78;

  /** Bytes of EVENT_TRACE_PROPERTIES_V2 (evntrace.h as mingw-w64's compilers lay it out). */
  private static final int HEAD_V2 = 0x90;

  private static final int HEAD_V2_32 = 0x88;

  /** Characters that Windows writes at most into a name, its end included. */
  static final int NAME = 1024;

  /** Characters for a name in front of an extension, as xperf had it. */
  private static final int SHORT_NAME = 260;

  /** WNODE_FLAG_TRACED_GUID. */
  private static final int TRACED = 0x0002_0000;

  /** WNODE_FLAG_VERSIONED_PROPERTIES. */
  private static final int VERSIONED = 0x0080_0000;

  private static final int VERSION = 2;

  /** EVENT_TRACE_FLAG_EXTENSION, and a length that says that the block has items. */
  private static final int EXTENDED = 0x80FF_0000;

  /** QueryPerformanceCounter. */
  private static final int CLOCK = 1;

  private static final int LOGGER_THREAD = 0x68;

  /**
   * Checks that the names fit.
   *
   * @throws CannotGoOn if one is too long
   */
  public SessionProperties {
    int most = extension.isPresent() ? SHORT_NAME : NAME;
    mustFit("the name of the session", name, most);
    mustFit("the path of the recording", file, most);
  }

  private static void mustFit(String what, String text, int most) {
    if (text.length() >= most) {
      throw new CannotGoOn(
          "%s has %d characters; Windows takes at most %d here"
              .formatted(what, text.length(), most - 1),
          "a shorter one");
    }
  }

  /** Returns a request that only names a session, with room for what Windows answers. */
  public static SessionProperties named(String name) {
    return named(name, "");
  }

  /** Returns a request that names a session and a file that it is to write. */
  static SessionProperties named(String name, String file) {
    return new SessionProperties(
        name,
        file,
        Guid.ZERO,
        new Buffers(0, 0, 0),
        0,
        0,
        0,
        0,
        Optional.empty(),
        OptionalLong.empty());
  }

  /**
   * Returns where the name of the session begins.
   *
   * @param pointerBytes size of a pointer of the code that makes the call, 4 or 8
   */
  int nameAt(int pointerBytes) {
    if (options.isEmpty()) {
      return HEAD;
    }
    return pointerBytes == Long.BYTES ? HEAD_V2 : HEAD_V2_32;
  }

  /** Returns where the path begins. */
  int fileAt(int pointerBytes) {
    return nameAt(pointerBytes) + area();
  }

  private int area() {
    return Character.BYTES * (extension.isPresent() ? SHORT_NAME : NAME);
  }

  /**
   * Returns the structure.
   *
   * @param pointerBytes size of a pointer of the code that makes the call, 4 or 8
   */
  public byte[] toBytes(int pointerBytes) {
    byte[] block = extension.map(FlagExtension::toBytes).orElseGet(() -> new byte[0]);
    int fileAt = fileAt(pointerBytes);
    int blockAt = fileAt + area();
    BytesBuilder out = new BytesBuilder(blockAt + block.length);
    out.u32(blockAt + block.length).u32(0).u64(0).u64(0);
    out.u64(guid.low()).u64(guid.high());
    out.u32(CLOCK).u32(TRACED | (options.isPresent() ? VERSIONED : 0));
    out.u32(buffers.kibibytes).u32(buffers.least).u32(buffers.most);
    out.u32(mebibytes).u32(mode).u32(flushSeconds);
    out.u32(extension.isPresent() ? EXTENDED | blockAt : flags);
    out.zeros(LOGGER_THREAD + pointerBytes - out.size());
    // A question has room for the path that Windows answers; a session without a file has none.
    out.u32(file.isEmpty() && mode != 0 ? 0 : fileAt).u32(nameAt(pointerBytes));
    if (options.isPresent()) {
      // Version, no filters, their pointer; in 32-bit code nothing is between this and the names.
      out.u32(VERSION).u32(0).zeros(pointerBytes).u64(options.getAsLong());
    } else {
      out.zeros(HEAD - out.size());
    }
    out.utf16z(name).zeros(fileAt - out.size());
    out.utf16z(file).zeros(blockAt - out.size());
    return out.bytes(block).toArray();
  }
}
