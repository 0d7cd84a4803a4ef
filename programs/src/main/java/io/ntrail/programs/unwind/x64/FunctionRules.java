package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindChain.Link;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import io.ntrail.formats.pe.unwind.UnwindOperation;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.UnwindDecision.NoRule;
import io.ntrail.programs.unwind.x64.UnwindRule.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one function entry: decides from unwind data and code which one holds at an address,
 * and keeps each once.
 */
final class FunctionRules {
  /** Bytes of code that are examined; longer runs of pops are no epilogue. */
  private static final int MOST_CODE = 256;

  private static final long UNSIGNED = 0xFFFF_FFFFL;

  /** Kind of a frame of version 3: as the assembler's {@code .pushframe code} stores it. */
  private static final int MACHINE_FRAME_WITH_ERROR = 1;

  /** Bytes of flags on the stack. */
  private static final int FLAGS = 8;

  private final FunctionEntry entry;
  private final UnwindChain chain;
  private final AddressSpace code;
  private final FunctionLookup lookup;
  private final WindowsBehavior behavior;
  private final List<UnwindDecision> decisions = new ArrayList<>();

  FunctionRules(
      FunctionEntry entry, AddressSpace code, FunctionLookup lookup, WindowsBehavior behavior) {
    this.entry = entry;
    this.chain = entry.chain();
    this.code = code;
    this.lookup = lookup;
    this.behavior = behavior;
  }

  /** Returns the rule at an address of the function. */
  UnwindDecision at(long address) {
    UnwindDecision decided = decide(address - entry.base());
    int known = decisions.indexOf(decided);
    if (known >= 0) {
      return decisions.get(known);
    }
    decisions.add(decided);
    return decided;
  }

  private UnwindDecision decide(long rva) {
    if (chain.damage().isPresent()) {
      return new NoRule(
          StackWalk.End.DAMAGED,
          "unwind information of 0x%x: %s".formatted(entry.begin(), chain.damage().get()));
    }
    if (hasUnknownFrame()) {
      return new NoRule(
          StackWalk.End.UNSUPPORTED,
          "0x%x has a frame of a kind that only its system knows".formatted(entry.begin()));
    }
    UnwindInfo info = chain.info();
    if (info.version() == 1) {
      boolean searched = hasCodes() || !behavior.isSince(WindowsBehavior.SINCE_1809);
      return searched ? decideByCode(rva) : undone(rva, false);
    }
    UnwindRuleBuilder described = epilogueByData(rva);
    return described != null ? left(described) : undone(rva, false);
  }

  /** Returns true if the prologue does anything, so that an epilogue has something to undo. */
  private boolean hasCodes() {
    return chain.links().stream().anyMatch(link -> link.info().codeCount() != 0);
  }

  private UnwindRule decideByCode(long rva) {
    Optional<UnwindRule> decided = decideBy(code.readUpTo(entry.base() + rva, MOST_CODE), rva);
    if (decided.isEmpty()) {
      int there = (int) Math.min(MOST_CODE, entry.view().available(rva));
      decided = decideBy(entry.view().bytes(rva, there), rva);
    }
    return decided.orElseGet(() -> undone(rva, true));
  }

  /** Returns the rule that bytes of code lead to; empty if they are too few. */
  private Optional<UnwindRule> decideBy(Bytes bytes, long rva) {
    UnwindRuleBuilder rule = start(Place.EPILOGUE, rva);
    EpilogueCode test = new EpilogueCode(bytes, rva, chain.info().frameRegister(), this::leaves);
    return switch (test.read(rule)) {
      case EPILOGUE -> Optional.of(left(rule));
      case BODY -> Optional.of(undone(rva, false));
      case CUT -> Optional.empty();
    };
  }

  /** Returns true if there is a frame of version 3 whose layout is the system's own. */
  private boolean hasUnknownFrame() {
    return chain.links().stream()
        .flatMap(link -> link.info().codes().stream())
        .anyMatch(code ->
            code.operation() == UnwindOperation.WOD_PUSH_CANONICAL_FRAME
                && code.value() > MACHINE_FRAME_WITH_ERROR);
  }

  private RuntimeFunction function() {
    return chain.links().getFirst().function();
  }

  /** Begins a rule, with its establisher frame. */
  private UnwindRuleBuilder start(Place place, long rva) {
    UnwindRuleBuilder rule = new UnwindRuleBuilder(place);
    UnwindInfo info = chain.info();
    if (info.version() == 3) {
      codesThatRan(0, rva)
          .filter(FunctionRules::setsFrame)
          .findFirst()
          .ifPresent(code -> rule.frame(code.register(), code.value()));
    } else if (info.frameRegister() != 0) {
      long offset = offset(function(), rva);
      Optional<UnwindCode> set =
          info.codes().stream()
              .filter(code -> setsFrame(code) && hasRun(info, code, offset))
              .findFirst();
      boolean behind = offset >= info.prologSize() || info.is(UnwindInfo.CHAININFO);
      if (set.isPresent() || behind) {
        long distance = set.map(UnwindCode::value).orElse((long) info.frameOffset());
        rule.frame(info.frameRegister(), distance);
      }
    }
    return rule;
  }

  private static boolean setsFrame(UnwindCode code) {
    return switch (code.operation()) {
      case UWOP_SET_FPREG, UWOP_SET_FPREG_LARGE, WOD_SET_FPREG -> true;
      default -> false;
    };
  }

  /** Bytes from the start of a part; code before it counts as far behind, as in 32-bit numbers. */
  private static long offset(RuntimeFunction part, long rva) {
    return rva - part.begin() & UNSIGNED;
  }

  /**
   * Returns true if the instruction of a code has run: version 3 stores its start, else its end.
   */
  private static boolean hasRun(UnwindInfo info, UnwindCode code, long offset) {
    return info.version() == 3 ? offset > code.offset() : offset >= code.offset();
  }

  /** Returns true if a jump to an RVA leaves the function. */
  private boolean leaves(long target) {
    RuntimeFunction own = function();
    if (own.contains(target)) {
      return target == own.begin() && !chain.info().is(UnwindInfo.CHAININFO);
    }
    Optional<RuntimeFunction> other =
        lookup
            .entry(entry.base() + target)
            .filter(found -> found.base() == entry.base())
            .map(FunctionEntry::primary);
    if (other.isEmpty()) {
      return true;
    }
    RuntimeFunction primary = chain.primary();
    boolean same =
        other.get().begin() == primary.begin()
            && (behavior.isSince(WindowsBehavior.SINCE_20H2) || other.get().end() == primary.end());
    return !same || target == primary.begin();
  }

  /** Returns the rule if version 2 or 3 say that an RVA is in an epilogue. */
  private @Nullable UnwindRuleBuilder epilogueByData(long rva) {
    UnwindInfo info = chain.info();
    for (Epilog epilog : info.epilogs()) {
      long offset = rva - epilog.startIn(function());
      if (info.version() == 2 && offset >= 0 && offset < epilog.size()) {
        return restOfPops(rva, offset);
      }
      if (info.version() == 3 && offset >= 0 && offset <= epilog.size()) {
        return restOfCodes(rva, offset, epilog);
      }
    }
    return null;
  }

  /** Version 2: an epilogue pops what the prologue pushed, an instruction each. */
  private UnwindRuleBuilder restOfPops(long rva, long offset) {
    UnwindRuleBuilder rule = start(Place.EPILOGUE, rva);
    List<UnwindCode> pushes = pushes();
    long at = 0;
    for (UnwindCode code : pushes) {
      switch (code.operation()) {
        case UWOP_PUSH_NONVOL -> {
          if (at >= offset) {
            rule.doPop(code.register());
          }
          at += code.register() >= 8 ? 2 : 1;
        }
        case UWOP_ALLOC_SMALL -> {
          if (at >= offset) {
            rule.doMove(code.value());
          }
          at++;
        }
        // An error code is gone before the epilogue begins.
        default -> rule.doMachineFrame(false);
      }
    }
    return rule;
  }

  /**
   * The codes that an epilogue of version 2 undoes: pushes in a row, of the first part that has
   * any, an allocation of 8 bytes right behind them, which a pop of flags undoes, and a machine
   * frame.
   */
  private List<UnwindCode> pushes() {
    for (Link link : chain.links()) {
      List<UnwindCode> codes = link.info().prologCodes();
      int begin = 0;
      while (begin < codes.size()
          && !is(codes, begin, UnwindOperation.UWOP_PUSH_NONVOL)
          && !is(codes, begin, UnwindOperation.UWOP_PUSH_MACHFRAME)) {
        begin++;
      }
      int end = begin;
      while (is(codes, end, UnwindOperation.UWOP_PUSH_NONVOL)) {
        end++;
      }
      if (end > begin
          && is(codes, end, UnwindOperation.UWOP_ALLOC_SMALL)
          && codes.get(end).value() == FLAGS) {
        end++;
      }
      if (is(codes, end, UnwindOperation.UWOP_PUSH_MACHFRAME)) {
        end++;
      }
      if (end > begin) {
        return codes.subList(begin, end);
      }
    }
    return List.of();
  }

  private static boolean is(List<UnwindCode> codes, int at, UnwindOperation operation) {
    return at < codes.size() && codes.get(at).operation() == operation;
  }

  /** Version 3: the codes of an epilogue from an offset on have not run yet. */
  private UnwindRuleBuilder restOfCodes(long rva, long offset, Epilog epilog) {
    List<UnwindCode> left =
        epilog.codes().stream().filter(code -> code.offset() >= offset).toList();
    UnwindRuleBuilder rule = new UnwindRuleBuilder(Place.EPILOGUE);
    left.stream()
        .filter(code -> setsFrame(code) && code.register() > 0)
        .findFirst()
        .ifPresent(code -> rule.frame(code.register(), code.value()));
    left.forEach(code -> undo(rule, code));
    if ((epilog.flags() & UnwindInfo.PARENT_FRAGMENT_TRANSFER) != 0) {
      codesThatRan(1, rva).forEach(code -> undo(rule, code));
    }
    return rule;
  }

  /** Ends the rule of an epilogue. */
  private UnwindRule left(UnwindRuleBuilder rule) {
    rule.frameIsReturnAddress =
        chain.info().frameRegister() != 0
            && !rule.hasMachineFrame
            && behavior.isSince(WindowsBehavior.SINCE_WINDOWS_11);
    return rule.doReturn().build();
  }

  private UnwindRule undone(long rva, boolean assumed) {
    Link last = chain.links().getLast();
    long end = last.info().prologSize();
    boolean inPrologue = offset(last.function(), rva) < end;
    UnwindRuleBuilder rule =
        start(
            offset(function(), rva) < chain.info().prologSize() ? Place.PROLOGUE : Place.BODY, rva);
    codesThatRan(0, rva).forEach(code -> undo(rule, code));
    rule.assumed = assumed;
    if (!inPrologue && last.info().hasHandler()) {
      rule.handler =
          new FrameHandler(
              entry.base() + last.info().handler(),
              entry.base() + last.info().handlerData(),
              last.info().is(UnwindInfo.EHANDLER),
              last.info().is(UnwindInfo.UHANDLER));
    }
    return rule.doReturn().build();
  }

  /** Returns the codes whose instructions have run, of a part of the chain and of its parents. */
  private Stream<UnwindCode> codesThatRan(int from, long rva) {
    return chain.links().stream()
        .skip(from)
        .flatMap(link -> {
          long offset = offset(link.function(), rva);
          return link.info().codes().stream().filter(code -> hasRun(link.info(), code, offset));
        });
  }

  private static void undo(UnwindRuleBuilder rule, UnwindCode code) {
    switch (code.operation()) {
      case UWOP_PUSH_NONVOL, WOD_PUSH -> rule.doPop(code.register());
      case WOD_PUSH_CONSECUTIVE_2, WOD_PUSH2 -> rule.doPop(code.second()).doPop(code.register());
      case UWOP_ALLOC_LARGE, UWOP_ALLOC_SMALL, WOD_ALLOC_HUGE, WOD_ALLOC_LARGE, WOD_ALLOC_SMALL ->
          rule.doMove(code.value());
      case UWOP_SET_FPREG, UWOP_SET_FPREG_LARGE, WOD_SET_FPREG ->
          rule.doSetStack(code.register(), code.value());
      case UWOP_SAVE_NONVOL, UWOP_SAVE_NONVOL_FAR, WOD_SAVE_NONVOL, WOD_SAVE_NONVOL_FAR ->
          rule.doLoad(code.register(), code.value());
      case UWOP_SAVE_XMM128, UWOP_SAVE_XMM128_FAR, WOD_SAVE_XMM128, WOD_SAVE_XMM128_FAR ->
          rule.doLoadXmm(code.register(), code.value());
      case UWOP_SAVE_XMM, UWOP_SAVE_XMM_FAR -> rule.doForgetXmm(code.register());
      case UWOP_PUSH_MACHFRAME, WOD_PUSH_CANONICAL_FRAME -> rule.doMachineFrame(code.value() != 0);
      case UWOP_EPILOG, UWOP_SPARE_CODE, UNKNOWN -> {}
    }
  }
}
