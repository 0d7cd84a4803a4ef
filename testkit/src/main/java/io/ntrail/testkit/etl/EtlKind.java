package io.ntrail.testkit.etl;

/**
 * The kinds of record header, named as the JSON contract's {@code recordsByHeader} names them.
 *
 * <p>Source: phnt ntwmi.h, {@code TRACE_HEADER_TYPE_*}.
 */
public enum EtlKind {
  /** SYSTEM_TRACE_HEADER written by a 32-bit logger. */
  SYSTEM32(1, 32, 4),
  /** SYSTEM_TRACE_HEADER written by a 64-bit logger. */
  SYSTEM64(2, 32, 8),
  /** SYSTEM_TRACE_HEADER without CPU times, 32-bit. */
  COMPACT32(3, 24, 4),
  /** SYSTEM_TRACE_HEADER without CPU times, 64-bit. */
  COMPACT64(4, 24, 8),
  /** EVENT_TRACE_HEADER, 32-bit. */
  FULL32(10, 48, 4),
  /** EVENT_TRACE_HEADER, 64-bit. */
  FULL64(20, 48, 8),
  /** EVENT_INSTANCE_GUID_HEADER, 32-bit. */
  INSTANCE32(11, 72, 4),
  /** EVENT_INSTANCE_GUID_HEADER, 64-bit. */
  INSTANCE64(21, 72, 8),
  /** PERFINFO_TRACE_HEADER, 32-bit. */
  PERFINFO32(16, 16, 4),
  /** PERFINFO_TRACE_HEADER, 64-bit. */
  PERFINFO64(17, 16, 8),
  /** EVENT_HEADER, 32-bit. */
  EVENT32(18, 80, 4),
  /** EVENT_HEADER, 64-bit. */
  EVENT64(19, 80, 8),
  /** TIMED_TRACE_HEADER, both framings. */
  TIMED(12, 16, 0),
  /** An error while logging; laid out as EVENT_TRACE_HEADER. */
  ERROR(13, 48, 0),
  /** WNODE_HEADER. */
  WNODE(14, 48, 0),
  /** MESSAGE_TRACE_HEADER, both framings. */
  MESSAGE(15, 8, 0),
  /** Bytes that are not a record: a reader leaves the buffer here. */
  RAW(0, 0, 0);

  final int type;
  final int headerBytes;
  final int pointer;

  EtlKind(int type, int headerBytes, int pointer) {
    this.type = type;
    this.headerBytes = headerBytes;
    this.pointer = pointer;
  }

  /** The header type number, byte 2 of a record framed with 0xC0. */
  public int type() {
    return type;
  }

  /** Bytes of the fixed header. */
  public int headerBytes() {
    return headerBytes;
  }

  /** Bytes of a pointer of the writer, 4 or 8, or 0 if the kind does not imply it. */
  public int pointerSize() {
    return pointer;
  }

  EtlKind of(int size) {
    return switch (this) {
      case SYSTEM32, SYSTEM64 -> size == 8 ? SYSTEM64 : SYSTEM32;
      case COMPACT32, COMPACT64 -> size == 8 ? COMPACT64 : COMPACT32;
      case FULL32, FULL64 -> size == 8 ? FULL64 : FULL32;
      case INSTANCE32, INSTANCE64 -> size == 8 ? INSTANCE64 : INSTANCE32;
      case PERFINFO32, PERFINFO64 -> size == 8 ? PERFINFO64 : PERFINFO32;
      case EVENT32, EVENT64 -> size == 8 ? EVENT64 : EVENT32;
      case TIMED, ERROR, WNODE, MESSAGE, RAW -> this;
    };
  }
}
