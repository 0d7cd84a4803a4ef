package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.Optional;

/** Test whether a word can be a return address: executable code of a module, behind a call. */
final class ReturnAddresses {
  /** Bytes of the shortest and the longest call: FF D0, and FF 94 with SIB, disp32 and prefixes. */
  private static final int SHORTEST_CALL = 2;

  private static final int LONGEST_CALL = 9;

  private final AddressSpace code;
  private final LoadedModules modules;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final Instruction instruction = new Instruction();

  ReturnAddresses(AddressSpace code, LoadedModules modules) {
    this.code = code;
    this.modules = modules;
  }

  /**
   * Returns true if a word can be one. Where the code cannot be read, being in a module is enough.
   */
  boolean isPlausible(long word) {
    Optional<LoadedModule> module = modules.at(word);
    if (module.isEmpty()) {
      return false;
    }
    long start = word - LONGEST_CALL;
    long rva = word - module.get().base();
    Bytes before = code.readUpTo(start, LONGEST_CALL);
    if (before.length() == LONGEST_CALL) {
      return isExecutable(module.get(), rva) && endsInCall(before);
    }
    if (module.get().image().isEmpty()) {
      return true;
    }
    PeImage image = module.get().image().get();
    return image.isExecutable(rva)
        && rva >= LONGEST_CALL
        && image.view().has(rva - LONGEST_CALL, LONGEST_CALL)
        && endsInCall(image.view().bytes(rva - LONGEST_CALL, LONGEST_CALL));
  }

  private static boolean isExecutable(LoadedModule module, long rva) {
    return module.image().map(image -> image.isExecutable(rva)).orElse(true);
  }

  private boolean endsInCall(Bytes before) {
    for (int length = SHORTEST_CALL; length <= LONGEST_CALL; length++) {
      int at = LONGEST_CALL - length;
      if (decoder.decode(before, at, LONGEST_CALL, instruction) == length) {
        FlowClass flow = instruction.flowClass();
        if (flow == FlowClass.DIRECT_CALL || flow == FlowClass.INDIRECT_CALL) {
          return true;
        }
      }
    }
    return false;
  }
}
