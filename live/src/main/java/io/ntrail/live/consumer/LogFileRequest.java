package io.ntrail.live.consumer;

import io.ntrail.formats.bytes.BytesBuilder;

/**
 * Request to open a session: EVENT_TRACE_LOGFILEW, as OpenTrace takes it.
 *
 * <p>Source: evntrace.h and evntcons.h as mingw-w64's compilers lay them out.
 *
 * @param name address of the session's name
 * @param isRaw true if time stamps stay as the session's clock has them; else Windows makes them
 *     system time
 * @param event address of the function for events
 * @param buffer address of the function for buffers
 * @param context that both get
 */
record LogFileRequest(long name, boolean isRaw, long event, long buffer, long context) {
  /** Offset of Context, for 64-bit and for 32-bit code. */
  static final int CONTEXT_64 = 440;

  static final int CONTEXT_32 = 408;

  /** Offset of EventsLost. */
  static final int EVENTS_LOST_64 = 416;

  static final int EVENTS_LOST_32 = 396;

  /** PROCESS_TRACE_MODE_REAL_TIME and PROCESS_TRACE_MODE_EVENT_RECORD. */
  private static final int MODE = 0x1000_0100;

  /** PROCESS_TRACE_MODE_RAW_TIMESTAMP. */
  private static final int RAW = 0x1000;

  /** CurrentTime and BuffersRead, which Windows fills in. */
  private static final int TIME_AND_BUFFERS = 12;

  private static final int HEADER_64 = 120;
  private static final int HEADER_32 = 112;
  private static final int BUFFER_64 = 400;
  private static final int BUFFER_32 = 384;
  private static final int EVENT_64 = 424;
  private static final int EVENT_32 = 400;
  private static final int BYTES_64 = 448;
  private static final int BYTES_32 = 416;

  /** Returns the bytes of the structure. */
  static int bytes(int pointerBytes) {
    return pointerBytes == Long.BYTES ? BYTES_64 : BYTES_32;
  }

  /** Returns the offset of TRACE_LOGFILE_HEADER in it. */
  static int header(int pointerBytes) {
    return pointerBytes == Long.BYTES ? HEADER_64 : HEADER_32;
  }

  /**
   * Returns the structure.
   *
   * @param pointerBytes size of a pointer of the code that makes the call, 4 or 8
   */
  byte[] toBytes(int pointerBytes) {
    boolean is64 = pointerBytes == Long.BYTES;
    BytesBuilder out = new BytesBuilder(BYTES_64);
    // No LogFileName.
    pointer(out, 0, pointerBytes);
    pointer(out, name, pointerBytes);
    out.zeros(TIME_AND_BUFFERS).u32(isRaw ? MODE | RAW : MODE);
    out.zeros((is64 ? BUFFER_64 : BUFFER_32) - out.size());
    pointer(out, buffer, pointerBytes);
    out.zeros((is64 ? EVENT_64 : EVENT_32) - out.size());
    pointer(out, event, pointerBytes);
    out.zeros((is64 ? CONTEXT_64 : CONTEXT_32) - out.size());
    pointer(out, context, pointerBytes);
    return out.zeros(bytes(pointerBytes) - out.size()).toArray();
  }

  private static void pointer(BytesBuilder out, long address, int pointerBytes) {
    if (pointerBytes == Long.BYTES) {
      out.u64(address);
    } else {
      out.u32((int) address);
    }
  }
}
