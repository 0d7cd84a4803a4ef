package io.ntrail.testkit.etl;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One record as it is in a buffer, with the facts a reader has to find in it. Made by {@link
 * EtlRecords}; not changed after.
 */
public final class EtlRecord {
  /** Value of {@link #pid} and {@link #tid} if the header holds none. */
  public static final long NONE = -1;

  final EtlKind kind;
  final boolean timed;
  final long time;
  final long pid;
  final long tid;
  final @Nullable UUID provider;
  final int group;
  final int id;
  final int opcode;
  final int version;
  final byte[] payload;
  final byte[] bytes;

  EtlRecord(EtlRecords from, byte[] bytes) {
    this.kind = from.kind;
    this.timed = from.hasTime();
    this.time = timed ? from.time : 0;
    this.pid = from.hasThread() ? from.pid & 0xFFFF_FFFFL : NONE;
    this.tid = from.hasThread() ? from.tid & 0xFFFF_FFFFL : NONE;
    this.provider = from.provider();
    this.group = from.hooked() ? from.hook >> 8 : -1;
    this.id = from.hooked() ? from.hook : from.id;
    this.opcode = from.hooked() ? from.hook & 0xFF : from.opcode;
    this.version = from.version;
    this.payload = from.payload;
    this.bytes = bytes;
  }

  /** The kind of header. */
  public EtlKind kind() {
    return kind;
  }

  /** Returns true if the record carries a time stamp (messages need not). */
  public boolean timed() {
    return timed;
  }

  /** The time stamp in ticks of the session's clock; 0 without one. */
  public long time() {
    return time;
  }

  /** The process id of the header, or {@link #NONE}. */
  public long pid() {
    return pid;
  }

  /** The thread id of the header, or {@link #NONE}. */
  public long tid() {
    return tid;
  }

  /** The provider or class GUID; null if the record names none. */
  public @Nullable UUID provider() {
    return provider;
  }

  /** The group byte of a hook id, or -1. */
  public int group() {
    return group;
  }

  /** The event id; of kernel records the hook id; of messages the message number. */
  public int id() {
    return id;
  }

  /** The opcode; of kernel records the low byte of the hook id. */
  public int opcode() {
    return opcode;
  }

  /** The version of the event. */
  public int version() {
    return version;
  }

  /** A copy of the bytes after the header, the extra words and the extended items. */
  public byte[] payload() {
    return payload.clone();
  }

  /** A copy of the whole record without the filler after it. */
  public byte[] bytes() {
    return bytes.clone();
  }

  int length() {
    return bytes.length;
  }

  /** Bytes the record takes in a buffer: records start at multiples of 8. */
  public int paddedLength() {
    return (bytes.length + 7) & ~7;
  }
}
