package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.AX;
import static io.ntrail.programs.unwind.FrameRegisters.BP;
import static io.ntrail.programs.unwind.FrameRegisters.BX;
import static io.ntrail.programs.unwind.FrameRegisters.CX;
import static io.ntrail.programs.unwind.FrameRegisters.DI;
import static io.ntrail.programs.unwind.FrameRegisters.DX;
import static io.ntrail.programs.unwind.FrameRegisters.SI;
import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.FrameProgram;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** Runs rules on the registers of a frame and the memory of its stack. */
final class RuleRunner {
  private static final int SLOT = 4;

  /** Bytes between two frame pointers that a scan believes: larger frames are rare. */
  private static final int MOST_BETWEEN_FRAMES = 128 * 1024;

  private static final int[] NONVOLATILE = {BX, BP, SI, DI};

  /** Variables of frame programs by the number of the register. */
  private static final List<String> VARIABLES =
      List.of("$eax", "$ecx", "$edx", "$ebx", "$esp", "$ebp", "$esi", "$edi");

  private final Words words;
  private final ReturnAddressSearch search;
  private final StackLimits limits;
  private final Consumer<String> problems;

  /**
   * @param problems takes what is wrong with frame data
   */
  RuleRunner(
      Words words, ReturnAddressSearch search, StackLimits limits, Consumer<String> problems) {
    this.words = words;
    this.search = search;
    this.limits = limits;
    this.problems = problems;
  }

  /**
   * A frame that is to be left.
   *
   * @param registers its registers
   * @param calleeParameters bytes of parameters of the function that it called, on its stack; 0 if
   *     it called none or they are not known
   * @param isFirst true if its registers are those of the thread
   * @param function first address of its function, or {@link CodeReader#UNKNOWN_FUNCTION}
   */
  record Frame(FrameRegisters registers, int calleeParameters, boolean isFirst, long function) {}

  /** Returns the caller of a frame by a rule; empty if the rule cannot be run. */
  Optional<Caller> run(FrameRule rule, Frame frame) {
    return switch (rule) {
      case FrameRule.Program program -> program(program, frame);
      case FrameRule.Fpo fpo -> fpo(fpo, frame);
      case FrameRule.Code(var path) -> code(path, frame);
      case FrameRule.FramePointer _ ->
          framePointer(frame, FrameTrust.FRAME, Caller.UNKNOWN_PARAMETERS);
    };
  }

  private Optional<Caller> program(FrameRule.Program rule, Frame frame) {
    FrameData.Frame data = rule.frame();
    FrameProgram program = rule.program();
    FrameRegisters registers = frame.registers;
    Map<String, Integer> values = new HashMap<>();
    for (int i = 0; i < VARIABLES.size(); i++) {
      if (registers.isKnown(i)) {
        values.put(VARIABLES.get(i), (int) registers.get(i));
      }
    }
    values.put(".cbLocals", (int) data.locals());
    values.put(".cbParams", (int) data.parameters());
    values.put(".cbSavedRegs", data.savedRegisters());
    values.put(".cbCalleeParams", frame.calleeParameters);
    if (program.uses(".raSearch") || program.uses(".raSearchStart")) {
      int place = (int) returnAddress(data, program, frame);
      values.put(".raSearch", place);
      values.put(".raSearchStart", place);
    }
    FrameProgram.Outcome outcome = program.run(values, this::word);
    if (!outcome.isComplete() || outcome.value("$eip").isEmpty()) {
      problems.accept(
          "%s: frame program of RVA 0x%x: %s"
              .formatted(
                  rule.module(),
                  data.begin(),
                  outcome.isComplete() ? "it does not say $eip" : outcome.problem()));
      return Optional.empty();
    }
    FrameRegisters caller = callerOf(registers);
    for (int register : NONVOLATILE) {
      OptionalInt value = outcome.value(VARIABLES.get(register));
      if (value.isPresent() && !isUnchanged(register, rule.prologue())) {
        caller.set(register, value.getAsInt());
      }
    }
    caller.setSp(outcome.value("$esp").orElse(0));
    caller.setIp(outcome.value("$eip").getAsInt());
    return Optional.of(new Caller(FrameTrust.PROGRAM, caller, size(data.parameters())));
  }

  /** Returns true if a register has its value still, which a program would restore. */
  private static boolean isUnchanged(int register, Optional<Prologue> prologue) {
    return register != BP && prologue.isPresent() && prologue.get().isUnchanged(register);
  }

  private OptionalInt word(int address) {
    long word = words.at(address & 0xFFFF_FFFFL);
    return word == Words.MISSING ? OptionalInt.empty() : OptionalInt.of((int) word);
  }

  /** Returns the place of the return address for a program that asks for it. */
  private long returnAddress(FrameData.Frame data, FrameProgram program, Frame frame) {
    FrameRegisters registers = frame.registers;
    if (program.uses("@") && registers.isKnown(BP)) {
      // The stack was aligned after the frame pointer was pushed: sizes do not lead back.
      return registers.get(BP) + SLOT;
    }
    long start =
        registers.sp() + data.locals() + data.savedRegisters() + frame.calleeParameters
            & 0xFFFF_FFFFL;
    long found = search.near(start, frame.calleeParameters, frame.function);
    return found == ReturnAddressSearch.NOT_FOUND ? start : found;
  }

  private Optional<Caller> fpo(FrameRule.Fpo rule, Frame frame) {
    FpoTable.Fpo data = rule.fpo();
    switch (data.frame()) {
      case FPO -> {}
      case NON_FPO -> {
        return framePointer(frame, FrameTrust.FPO, data.parameters());
      }
      default -> {
        return Optional.empty();
      }
    }
    FrameRegisters registers = frame.registers;
    long own = data.locals() + (long) SLOT * data.savedRegisters();
    if (rule.isInProlog()) {
      own = rule.prologue().map(Prologue::depth).orElse(OptionalInt.empty()).orElse((int) own);
    }
    long start = registers.sp() + frame.calleeParameters + own & 0xFFFF_FFFFL;
    long place = search.near(start, frame.calleeParameters, frame.function);
    if (place == start && frame.isFirst && words.at(place) == registers.ip()) {
      // A system call that has returned, with its return address still on the stack.
      place = search.near(start + SLOT, 0, frame.function);
    }
    if (place == ReturnAddressSearch.NOT_FOUND) {
      place = start;
    }
    long returnAddress = words.at(place);
    if (returnAddress == Words.MISSING) {
      return Optional.empty();
    }
    FrameRegisters caller = callerOf(registers);
    if (rule.prologue().isPresent()) {
      restore(caller, rule, rule.prologue().get(), place);
    } else {
      restoreByConvention(caller, data, registers.sp() + frame.calleeParameters);
    }
    caller.setSp(place + SLOT);
    caller.setIp(returnAddress);
    return Optional.of(new Caller(FrameTrust.FPO, caller, data.parameters()));
  }

  /** Restores the registers that a prologue saved. */
  private void restore(FrameRegisters caller, FrameRule.Fpo rule, Prologue prologue, long place) {
    int saved = 0;
    for (int register : NONVOLATILE) {
      saved += prologue.savedAt(register).isPresent() ? 1 : 0;
    }
    boolean isComplete = rule.isInProlog() || saved >= rule.fpo().savedRegisters();
    for (int register : NONVOLATILE) {
      OptionalInt slot = prologue.savedAt(register);
      if (slot.isPresent()) {
        restore(caller, register, place + slot.getAsInt());
      } else if (!isComplete || !prologue.isUnchanged(register)) {
        caller.forget(register);
      }
    }
  }

  /**
   * Restores ebp of a function whose prologue is not at hand: compilers push ebx, ebp, esi and edi
   * in this order, those that they use.
   */
  private void restoreByConvention(FrameRegisters caller, FpoTable.Fpo data, long saved) {
    if (data.savedRegisters() == 0) {
      return;
    }
    caller.forget(BX);
    caller.forget(SI);
    caller.forget(DI);
    if (data.usesEbp()) {
      int above = data.savedRegisters() == 1 ? 1 : 2;
      restore(caller, BP, saved + (long) SLOT * (data.savedRegisters() - above));
    }
  }

  private void restore(FrameRegisters caller, int register, long place) {
    long value = words.at(place & 0xFFFF_FFFFL);
    if (value == Words.MISSING) {
      caller.forget(register);
    } else {
      caller.set(register, value);
    }
  }

  /**
   * Returns a caller with the registers that instructions restore, where they lead to the same
   * place: data do not say what a function has not saved yet, or keeps elsewhere.
   */
  Caller refined(Caller caller, PathToReturn path, Frame frame) {
    if (path.returnAddress().in(frame.registers, words) + SLOT != caller.registers().sp()) {
      return caller;
    }
    FrameRegisters registers = caller.registers().copy();
    for (int register : NONVOLATILE) {
      long value = path.register(register).in(frame.registers, words);
      if (value != Words.MISSING) {
        registers.set(register, value);
      }
    }
    return new Caller(caller.trust(), registers, caller.parameters());
  }

  private Optional<Caller> code(PathToReturn path, Frame frame) {
    FrameRegisters registers = frame.registers;
    long place = path.returnAddress().in(registers, words);
    long returnAddress = place == Words.MISSING ? Words.MISSING : words.at(place);
    if (returnAddress == Words.MISSING) {
      return Optional.empty();
    }
    FrameRegisters caller = callerOf(registers);
    for (int register : NONVOLATILE) {
      long value = path.register(register).in(registers, words);
      if (value == Words.MISSING) {
        caller.forget(register);
      } else {
        caller.set(register, value);
      }
    }
    caller.setSp(place + SLOT);
    caller.setIp(returnAddress);
    boolean certain = path.isStraight() || path.returnAddress().base() == BP;
    return Optional.of(
        new Caller(certain ? FrameTrust.FRAME : FrameTrust.SCAN, caller, path.popped()));
  }

  private Optional<Caller> framePointer(Frame frame, FrameTrust trust, int parameters) {
    FrameRegisters registers = frame.registers;
    long pointer = registers.get(BP);
    if (!registers.isKnown(BP)
        || pointer % SLOT != 0
        || pointer < registers.sp()
        || !limits.holds(pointer, 4)
        || !limits.holds(pointer + SLOT, SLOT)) {
      return Optional.empty();
    }
    long saved = words.at(pointer);
    long returnAddress = words.at(pointer + SLOT);
    if (saved == Words.MISSING || returnAddress == Words.MISSING) {
      return Optional.empty();
    }
    FrameRegisters caller = callerOf(registers);
    caller.forget(BX);
    caller.forget(SI);
    caller.forget(DI);
    caller.set(BP, saved);
    caller.setSp(pointer + 2 * SLOT);
    caller.setIp(returnAddress);
    return Optional.of(new Caller(trust, caller, parameters));
  }

  /** Returns the caller whose return address a scan found. */
  Caller scanned(Frame frame, long place) {
    FrameRegisters registers = frame.registers;
    FrameRegisters caller = callerOf(registers);
    caller.forget(BX);
    caller.forget(SI);
    caller.forget(DI);
    long below = place == registers.sp() ? Words.MISSING : words.at(place - SLOT);
    if (below > place && below - place <= MOST_BETWEEN_FRAMES && limits.holds(below, 4)) {
      caller.set(BP, below);
    } else if (registers.get(BP) <= place || !limits.holds(registers.get(BP), SLOT)) {
      caller.forget(BP);
    }
    caller.setSp(place + SLOT);
    caller.setIp(words.at(place));
    return new Caller(FrameTrust.SCAN, caller, Caller.UNKNOWN_PARAMETERS);
  }

  private static FrameRegisters callerOf(FrameRegisters registers) {
    FrameRegisters caller = registers.copy();
    caller.forget(AX);
    caller.forget(CX);
    caller.forget(DX);
    caller.forget(SP);
    return caller;
  }

  private static int size(long bytes) {
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }
}
