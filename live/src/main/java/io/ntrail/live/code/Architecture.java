package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.MachineType;
import java.util.List;
import java.util.Optional;

/**
 * Processor architecture of a target: the machine code that tracing puts into it, and the registers
 * and structures that depend on the processor.
 */
public interface Architecture {
  /** Returns the machine type of its images, as in {@code IMAGE_FILE_HEADER}. */
  int machine();

  /** Returns its usual name. */
  default String name() {
    return MachineType.text(machine());
  }

  /** Returns the size of a pointer in bytes. */
  int pointerSize();

  /** Returns how many low bits of a pointer user-mode addresses need. */
  int addressBits();

  /** Returns where the fields of thread contexts and thread environment blocks lie. */
  ThreadLayout threads();

  /** Returns where the parts of an area lie. */
  AreaGeometry areas();

  /**
   * Returns the frames of traced functions that the slots of an area know, the innermost first,
   * whatever session the area is of.
   *
   * @param data everything between {@link AreaGeometry#data} and {@link AreaGeometry#table}
   */
  List<TracedReturn> tracedReturns(long area, Bytes data);

  /**
   * Returns the frames of traced functions in a copy of a stack ({@link SamplePlaces}), the
   * innermost first.
   */
  List<TracedReturn> sampledReturns(Bytes place);

  /** Returns whether code is unwound by function tables, which the system has to be told of. */
  boolean hasFunctionTables();

  /** Returns an instruction that jumps to itself. */
  byte[] endlessLoop();

  /** Returns the code of one session. */
  SessionCode session(SessionAddresses addresses);

  /** Returns the routine that writes into code that threads execute. */
  StoreCode stores();

  /**
   * Returns a routine that calls a function with four arguments; its parameter is the address of
   * the function's address and the arguments, 64 bits each. It returns what the function returns.
   */
  byte[] callRoutine();

  /**
   * Returns the callback for {@code LdrRegisterDllNotification}.
   *
   * @param control address of the session file in the target
   */
  CallbackCode dllNotification(long control, LoaderCalls system);

  /**
   * Returns the code in front of {@code NtResumeThread}; the function has to follow it.
   *
   * @param control address of the session file in the target
   */
  CallbackCode resumeThread(long control, ResumeCalls system);

  /**
   * Returns the guard in front of Wine's {@code LdrFindEntryForAddress}; empty if it is not needed,
   * as nothing that unwinds looks return addresses up.
   */
  Optional<GuardCode> lookupGuard();

  /**
   * Returns the relocated first instructions of a function and a jump to the rest.
   *
   * @param at where they will lie; within reach of the function
   */
  byte[] body(TracedCode function, long at);

  /** Reads a pointer. */
  default long pointer(Bytes bytes, int at) {
    return pointerSize() == Long.BYTES ? bytes.i64(at) : bytes.u32(at);
  }

  /** Returns the bytes of a pointer. */
  default byte[] bytes(long pointer) {
    BytesBuilder out = new BytesBuilder(Long.BYTES);
    return (pointerSize() == Long.BYTES ? out.u64(pointer) : out.u32((int) pointer)).toArray();
  }
}
