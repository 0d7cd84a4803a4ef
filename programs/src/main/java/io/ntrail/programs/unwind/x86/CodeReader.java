package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.Optional;

/**
 * Reads machine code by address: from memory, and where that was not captured from the file of the
 * module. Not for several threads.
 */
final class CodeReader {
  /** The longest CALL that compilers write: a segment, ModRM, SIB, and four bytes. */
  private static final int LONGEST_CALL = 8;

  private static final int SHORTEST_CALL = 2;

  /** Addresses below belong to no code: the first page of a process is never mapped. */
  private static final long LOWEST_CODE = 0x1000;

  /** Judgement on an address as a return address. */
  enum ReturnAddress {
    /** It is none: no code is there, or what is before it is not a call. */
    NO,
    /** It is in the code of a module, but the bytes before it are not at hand. */
    POSSIBLE,
    /** Right before it is a call of another function than the one that was called. */
    CALLS_OTHER,
    /** Right before it is a call, nothing says of which function. */
    AFTER_CALL,
    /** Right before it is a call of the function that was called. */
    CALLS_IT;

    /** Returns true if a call is right before it. */
    boolean isAfterCall() {
      return this != NO && this != POSSIBLE;
    }
  }

  /** Stands for the first address of a function that is not known. */
  static final long UNKNOWN_FUNCTION = -1;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "code");

  private final AddressSpace memory;
  private final LoadedModules modules;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS32);
  private final Instruction instruction = new Instruction();

  CodeReader(AddressSpace memory, LoadedModules modules) {
    this.memory = memory;
    this.modules = modules;
  }

  InstructionDecoder decoder() {
    return decoder;
  }

  /** Returns the module at an address. */
  Optional<LoadedModule> module(long address) {
    return modules.at(address);
  }

  /** Returns up to so many bytes at an address; fewer where the rest is not at hand. */
  Bytes read(long address, int most) {
    Bytes captured = memory.readUpTo(address, most);
    if (captured.length() == most) {
      return captured;
    }
    Bytes stored = stored(address, most);
    return stored.length() > captured.length() ? stored : captured;
  }

  private Bytes stored(long address, int most) {
    Optional<LoadedModule> module = modules.at(address);
    if (module.isPresent() && module.get().image().isPresent()) {
      ImageView view = module.get().image().get().view();
      long rva = address - module.get().base();
      try {
        return view.stored(rva) > 0 ? view.window(rva, most) : NOTHING;
      } catch (DamagedInput _) {
        return NOTHING;
      }
    }
    return NOTHING;
  }

  /** Returns true if code can run at an address, as far as is known. */
  boolean canRun(long address) {
    if (address < LOWEST_CODE) {
      return false;
    }
    Optional<LoadedModule> module = modules.at(address);
    if (module.isPresent()) {
      LoadedModule loaded = module.get();
      return loaded.image().isEmpty() || loaded.image().get().isExecutable(address - loaded.base());
    }
    return memory
        .regionAt(address)
        .map(region -> region.access().contains(MemoryRegion.Access.EXECUTE))
        .orElse(false);
  }

  /**
   * Judges an address as the one that the call of a function pushed. A function that was called may
   * have jumped to the one that is asked for, so that a call of another one is possible.
   *
   * @param function its first address, or {@link #UNKNOWN_FUNCTION}
   */
  ReturnAddress judge(long address, long function) {
    ReturnAddress verdict = judge(address);
    if (verdict != ReturnAddress.AFTER_CALL || function == UNKNOWN_FUNCTION) {
      return verdict;
    }
    long called = calledBefore(address);
    if (called == function) {
      return ReturnAddress.CALLS_IT;
    }
    return called >= 0 && canRun(called) ? ReturnAddress.CALLS_OTHER : ReturnAddress.AFTER_CALL;
  }

  /** Judges an address as one that a call pushed. */
  ReturnAddress judge(long address) {
    if (address < LOWEST_CODE || address > 0xFFFF_FFFFL) {
      return ReturnAddress.NO;
    }
    boolean inModule = modules.at(address - 1).isPresent();
    if (!canRun(address - 1)) {
      return ReturnAddress.NO;
    }
    for (int length = LONGEST_CALL; length >= SHORTEST_CALL; length--) {
      Bytes before = read(address - length, length);
      if (before.length() == length) {
        if (endsWithCall(before)) {
          return ReturnAddress.AFTER_CALL;
        }
        // Of a call that begins before the bytes at hand, the end alone says nothing.
        return length == LONGEST_CALL || !inModule ? ReturnAddress.NO : ReturnAddress.POSSIBLE;
      }
    }
    return inModule ? ReturnAddress.POSSIBLE : ReturnAddress.NO;
  }

  private boolean endsWithCall(Bytes code) {
    for (int length = SHORTEST_CALL; length <= code.length(); length++) {
      int at = code.length() - length;
      if (decoder.decode(code, at, code.length(), instruction) == length
          && (instruction.flowClass() == FlowClass.DIRECT_CALL
              || instruction.flowClass() == FlowClass.INDIRECT_CALL)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the target of the direct call before a return address, or -1 if there is none or its
   * bytes are not at hand. Jumps at the target are followed, as those of incremental linking.
   */
  private long calledBefore(long returnAddress) {
    Bytes call = read(returnAddress - 5, 5);
    if (call.length() < 5 || call.u8(0) != 0xE8) {
      return -1;
    }
    return behindJump(returnAddress + call.i32(1) & 0xFFFF_FFFFL);
  }

  /** Returns the target of the direct jump at an address, else the address. */
  private long behindJump(long address) {
    Bytes code = read(address, 5);
    return code.length() == 5 && code.u8(0) == 0xE9
        ? address + 5 + code.i32(1) & 0xFFFF_FFFFL
        : address;
  }
}
