package io.ntrail.live.agent;

/**
 * Protocol between controller and agent: two pipes, little-endian.
 *
 * <p>A question is a head of 8 bytes (u32 length of what follows, u16 operation, u16 number) and
 * its payload. The answer to it has the same head, with {@link #ANSWER} added to the operation, and
 * a payload of at least 16 bytes: u64 result, u32 last error, u32 status, then data. Each question
 * has one answer, in order. When its input ends, the agent ends; nothing in the target depends on
 * it.
 */
final class AgentProtocol {
  static final int VERSION = 1;

  /** Bytes of a head. */
  static final int HEAD = 8;

  /** Bytes of an answer before its data, without the head. */
  static final int ANSWER_HEAD = 16;

  /** Added to the operation in an answer. */
  static final int ANSWER = 0x8000;

  /** Largest payload in either direction; the agent ends when it is asked for more. */
  static final int MAX_PAYLOAD = 0x10_0100;

  /** Largest piece of memory that goes in one question or answer. */
  static final int MAX_BYTES = 0x10_0000;

  /**
   * u32 version. Answer: u32 version, u32 process id, u64 address of scratch memory, u32 its size,
   * u32 machine as in PE files.
   */
  static final int HELLO = 1;

  /**
   * Name of a module, NUL, name of a function, NUL. Result: its address, or 0. The module is loaded
   * if it is not yet.
   */
  static final int RESOLVE = 2;

  /**
   * u32 count, u32 zero, then for each call: u64 address, u32 number of arguments, u32 flags, the
   * arguments, u64 each. Answer: for each call u64 result, u32 last error, u32 status.
   */
  static final int CALLS = 3;

  /** u64 address, u32 length. Answer: bytes of the agent's memory. */
  static final int PEEK = 4;

  /** u64 address, bytes that are written to the agent's memory. */
  static final int POKE = 5;

  /** u64 process, u64 address, u32 length. Answer: bytes, possibly fewer; result 0 = it failed. */
  static final int READ = 6;

  /** u64 process, u64 address, bytes. Result 0 = it failed. */
  static final int WRITE = 7;

  /** u32 exit code; no answer. */
  static final int EXIT = 8;

  /** Maximum number of arguments of a call. */
  static final int MAX_ARGUMENTS = 12;

  /** Maximum number of calls of a batch. */
  static final int MAX_CALLS = 4096;

  /** Flag of a call: the batch ends here when the result is 0. */
  static final int STOP_AT_ZERO = 1;

  /** Flag of a call: the batch ends here when the result is a failed NTSTATUS. */
  static final int STOP_AT_ERROR = 2;

  /**
   * Flag of a call: in 32-bit code its result has 64 bits (edx is the high half); else the high
   * half is 0, whatever is in edx. In 64-bit code results always have 64 bits.
   */
  static final int WHOLE_RESULT = 4;

  /**
   * Flag of a call, shifted left by k: argument k is the result of an earlier call of the batch,
   * whose number is its low half, plus its high half (signed).
   */
  static final int REFERENCE = 0x100;

  /** Status: done. */
  static final int DONE = 0;

  /** Status: the call ended with an exception; the result is its code. */
  static final int FAULT = 1;

  /** Status: the request was not understood. */
  static final int MISUNDERSTOOD = 2;

  /** Status: not done, because a call before it ended the batch. */
  static final int SKIPPED = 3;

  private AgentProtocol() {}
}
