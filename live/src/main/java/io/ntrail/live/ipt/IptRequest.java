package io.ntrail.live.ipt;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pt.IptOptions;

/**
 * Request to ipt.sys: IPT_INPUT_BUFFER with the version of its form, the kind of request and what
 * belongs to that. Handles have 64 bits, whatever code makes the request.
 *
 * <p>Source: the header of winipt, as of Windows 10 1809 (40 bytes, answers of 16) and of 2004 (48
 * and 24, since ranges of addresses came).
 *
 * @param name of the request, for messages
 * @param type IPT_INPUT_TYPE
 * @param content what follows the type, from offset 16 on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IptRequest(String name, int type, byte[] content) {
  /** IOCTL_IPT_REQUEST: answers come through a buffer of the system. */
  static final int REQUEST = 0x0022_0004;

  /** IOCTL_IPT_READ_TRACE: the answer is written to the caller's memory. */
  static final int READ_TRACE = 0x0022_0006;

  /** Version of traces. */
  static final int TRACE_VERSION = 1;

  private static final int MAJOR_VERSION = 1;
  private static final int MINOR_VERSION = 0;
  private static final int CONTENT = 16;

  IptRequest {
    content = content.clone();
  }

  @Override
  public byte[] content() {
    return content.clone();
  }

  /** Asks which version of traces the driver writes. */
  static IptRequest traceVersion() {
    return new IptRequest("GetTraceVersion", 0, new byte[0]);
  }

  /** Asks how many bytes the trace of a process has. */
  static IptRequest traceSize(long process) {
    return new IptRequest("GetProcessTraceSize", 1, traceOf(process));
  }

  /** Asks for the trace of a process, by {@link #READ_TRACE}. */
  static IptRequest trace(long process) {
    return new IptRequest("GetProcessTrace", 2, traceOf(process));
  }

  private static byte[] traceOf(long process) {
    return new BytesBuilder(16).u16(TRACE_VERSION).zeros(6).u64(process).toArray();
  }

  /** Has a process traced. */
  static IptRequest start(long process, IptOptions options) {
    return new IptRequest(
        "StartProcessTrace", 5, new BytesBuilder(16).u64(process).u64(options.word()).toArray());
  }

  /** Ends the trace of a process, and forgets it. */
  static IptRequest stop(long process) {
    return new IptRequest("StopProcessTrace", 6, handle(process));
  }

  /** Asks for the options of the trace of a process. */
  static IptRequest query(long process) {
    return new IptRequest("QueryProcessTrace", 9, handle(process));
  }

  /** Gives a thread a range of addresses (2004). */
  static IptRequest range(long thread, int index, AddressRange range) {
    return new IptRequest(
        "ConfigureThreadAddressFilterRange",
        13,
        new BytesBuilder(32)
            .u64(thread)
            .u32(index)
            .u32(range.use())
            .u64(range.first())
            .u64(range.last())
            .toArray());
  }

  /** Asks for a range of a thread (2004). */
  static IptRequest range(long thread, int index) {
    return new IptRequest(
        "QueryThreadAddressFilterRange",
        14,
        new BytesBuilder(16).u64(thread).u32(index).zeros(4).toArray());
  }

  /** Asks whether a thread's trace stopped by a range (2004). */
  static IptRequest stopRangeEntered(long thread) {
    return new IptRequest("QueryThreadTraceStopRangeEntered", 15, handle(thread));
  }

  private static byte[] handle(long handle) {
    return new BytesBuilder(8).u64(handle).toArray();
  }

  /**
   * Returns the structure.
   *
   * @param size that this Windows expects: 40 or 48
   */
  byte[] toBytes(int size) {
    BytesBuilder bytes = new BytesBuilder(size);
    bytes.u32(MAJOR_VERSION).u32(MINOR_VERSION).u32(type).zeros(CONTENT - 12);
    return bytes.bytes(content).zeros(size - CONTENT - content.length).toArray();
  }
}
