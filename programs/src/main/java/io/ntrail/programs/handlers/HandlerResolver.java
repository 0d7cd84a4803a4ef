package io.ntrail.programs.handlers;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Follows the code of a handler: through jumps to an import, or into calls. */
final class HandlerResolver {
  /** Bound of the number of jumps in a row. */
  private static final int JUMPS = 4;

  /** Bound of the offset in a handler up to which calls are searched. */
  private static final int NEAR = 0xC0;

  private final PeImage image;
  private final FunctionTable table;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final Map<Long, String> slots = new HashMap<>();
  private final Map<Long, String> exports = new HashMap<>();

  /**
   * End of a chain of jumps.
   *
   * @param rva the last address in the image
   * @param imported the import it leaves the image for
   */
  record End(long rva, Optional<String> imported) {}

  /**
   * A branch.
   *
   * @param call whether it comes back
   * @param target where it goes in the image; 0: elsewhere
   * @param imported the import that it goes to
   */
  private record Branch(boolean call, long target, Optional<String> imported) {}

  HandlerResolver(PeImage image, FunctionTable table) {
    this.image = image;
    this.table = table;
    for (Imports.Module module : Imports.of(image).modules()) {
      for (Imports.Symbol symbol : module.symbols()) {
        String name = symbol.name();
        if (name != null) {
          slots.putIfAbsent(symbol.slot(), name);
        }
      }
    }
    for (Exports.Export export : Exports.of(image).list()) {
      String name = export.name();
      if (name != null && export.forward() == null) {
        exports.putIfAbsent(export.rva(), name);
      }
    }
  }

  /** The name by which the image exports an address. */
  Optional<String> exported(long rva) {
    return Optional.ofNullable(exports.get(rva));
  }

  /** Follows jumps from an address on, to an import or to code that is not a jump. */
  End follow(long rva) {
    Instruction instruction = new Instruction();
    long at = rva;
    for (int i = 0; i < JUMPS && decode(at, instruction); i++) {
      Optional<Branch> branch = branch(at, instruction);
      if (branch.isEmpty() || branch.get().call) {
        break;
      }
      if (branch.get().target == 0) {
        return new End(at, branch.get().imported);
      }
      at = branch.get().target;
    }
    return new End(at, Optional.empty());
  }

  /** Returns the ends of the calls and jumps near the start of a function, in their order. */
  List<End> calls(long rva) {
    long known = table.entry(rva).map(entry -> entry.end()).orElse(rva + NEAR);
    long end = Math.min(known, rva + NEAR);
    List<End> ends = new ArrayList<>();
    Instruction instruction = new Instruction();
    for (long at = rva; at < end && decode(at, instruction); at += instruction.length()) {
      Optional<Branch> branch = branch(at, instruction);
      if (branch.isPresent()) {
        long target = branch.get().target;
        ends.add(target == 0 ? new End(at, branch.get().imported) : follow(target));
      }
    }
    return ends;
  }

  private boolean decode(long at, Instruction into) {
    if (image.view().stored(at) == 0) {
      return false;
    }
    Bytes code = image.view().window(at, InstructionDecoder.LONGEST);
    return decoder.decode(code, 0, code.length(), into) > 0;
  }

  private Optional<Branch> branch(long at, Instruction instruction) {
    FlowClass flow = instruction.flowClass();
    return switch (flow) {
      case DIRECT_JUMP, DIRECT_CALL ->
          Optional.of(
              new Branch(
                  flow == FlowClass.DIRECT_CALL, instruction.branchTarget(at), Optional.empty()));
      case INDIRECT_JUMP, INDIRECT_CALL ->
          instruction.isRipRelative()
              ? Optional.of(
                  new Branch(
                      flow == FlowClass.INDIRECT_CALL,
                      0,
                      Optional.ofNullable(slots.get(slot(at, instruction)))))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** Returns the address of the pointer that a branch goes through. */
  private long slot(long at, Instruction instruction) {
    return at + instruction.length() + image.view().i32(at + instruction.displacementOffset());
  }
}
