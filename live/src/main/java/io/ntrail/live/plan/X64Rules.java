package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.live.code.TracedCode.Prologue;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rules for x64: stacks are unwound by function tables, so moved instructions need unwind data. */
final class X64Rules implements ModuleRules {
  private final PeImage image;
  private final FunctionTable table;
  private final ReturnAddressReads returnAddressReads;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final OperandReader operandReader = OperandReader.of(decoder);
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  X64Rules(PeImage image, FunctionTable table, ReturnAddressReads returnAddressReads) {
    this.image = image;
    this.table = table;
    this.returnAddressReads = returnAddressReads;
  }

  @Override
  public ModuleRules forAnotherThread() {
    return new X64Rules(image, table, returnAddressReads.forAnotherThread());
  }

  @Override
  public CodeSize codeSize() {
    return CodeSize.BITS64;
  }

  @Override
  public List<String> aliases(String name) {
    return List.of();
  }

  @Override
  public @Nullable Kind known(String name) {
    return DenyList.of(name);
  }

  @Override
  public Moved moved(FunctionPatch patch, Bytes unit) {
    Optional<RuntimeFunction> entry = table.find(patch.function().rva());
    Prologue prologue = Prologue.NONE;
    if (entry.isPresent()) {
      UnwindInfo info = UnwindInfo.read(image.view(), entry.get().unwindInfo());
      Prologue read = info.damage().isPresent() ? null : Prologue.of(info, unit.length());
      // An exception in a moved instruction would not find the function's handler; in the prologue
      // none is requested.
      boolean guarded = info.handler() != 0 && unit.length() > info.prologSize();
      if (read == null || info.version() > 2 || guarded) {
        return Moved.refused(Kind.UNWIND_DATA);
      }
      if (returnAddressReads.isPart(entry.get())) {
        return Moved.refused(Kind.PART);
      }
      prologue = read;
    }
    return prologue.codes().length == 0 && movesStack(unit)
        ? Moved.refused(Kind.NO_UNWIND_DATA)
        : new Moved(null, prologue);
  }

  /** Returns whether the stack pointer is changed. */
  private boolean movesStack(Bytes unit) {
    for (int at = 0; at < unit.length(); ) {
      int size = decoder.decode(unit, at, unit.length(), instruction);
      if (size == 0) {
        throw new IllegalStateException("a unit that does not decode");
      }
      if (!HookPrologue.is(unit, at, size)
          && (!operandReader.read(instruction, operands) || writesStackPointer())) {
        return true;
      }
      at += size;
    }
    return false;
  }

  private boolean writesStackPointer() {
    return Effects.of(instruction, operands).registers().stream()
        .anyMatch(
            use -> use.access().writes() && use.register().toString().equalsIgnoreCase("rsp"));
  }

  @Override
  public Optional<SkipReason> entriesOnly(FunctionPatch patch) {
    return returnAddressReads.in(patch.function())
        ? Optional.of(SkipReason.of(Kind.READS_RETURN_ADDRESS))
        : Optional.empty();
  }
}
