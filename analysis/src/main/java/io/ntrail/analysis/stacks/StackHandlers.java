package io.ntrail.analysis.stacks;

import io.ntrail.analysis.stacks.HandlerStep.Kind;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.CxxFunction.Catch;
import io.ntrail.formats.pe.handlers.CxxFunction.Step;
import io.ntrail.formats.pe.handlers.CxxFunction.Try;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.handlers.SehFrame;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.programs.handlers.HandledFunction;
import io.ntrail.programs.handlers.HandlerData;
import io.ntrail.programs.handlers.LanguageHandlers;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.x64.FrameHandler;
import io.ntrail.programs.unwind.x64.UnwindRule;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.programs.unwind.x86.SehChain;
import io.ntrail.programs.unwind.x86.SehRecord;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * The handlers of a stack in the order in which an exception in its innermost frame would come to
 * them, found in the tables of images (x64) or the chain on the stack (x86). No code is run: what a
 * filter would decide is not known. For one thread.
 */
final class StackHandlers {
  /**
   * Place of the current level or state in the records of Microsoft's compilers, after the record.
   */
  private static final int LEVEL_OF_C = 12;

  private static final int STATE_OF_CXX = 8;

  /** Actions of one function; a chain of states in damaged tables may be a circle. */
  private static final int MOST_STEPS = 1 << 10;

  private final ProcessSnapshot process;
  private final SnapshotNames names;
  private final IdentityHashMap<LoadedModule, LanguageHandlers> languages = new IdentityHashMap<>();
  private final IdentityHashMap<LoadedModule, FunctionTable> tables = new IdentityHashMap<>();
  private final List<HandlerStep> steps = new ArrayList<>();

  StackHandlers(ProcessSnapshot process, SnapshotNames names) {
    this.process = process;
    this.names = names;
  }

  /** Returns the handlers of an x64 stack. */
  List<HandlerStep> x64(ThreadStack stack, VirtualUnwinder unwinder) {
    int[] numbers = numbers(stack.frames());
    for (int i = 0; i < stack.walked().size() && i < numbers.length; i++) {
      StackFrame frame = stack.walked().get(i);
      boolean isReturn = frame.trust() != FrameTrust.CONTEXT && frame.trust() != FrameTrust.TRAP;
      long address = isReturn ? frame.ip() - 1 : frame.ip();
      Optional<FrameHandler> handler =
          unwinder.decide(address) instanceof UnwindRule rule ? rule.handler() : Optional.empty();
      if (handler.isPresent()) {
        int number = numbers[i];
        process
            .modules()
            .at(address)
            .ifPresentOrElse(
                module -> language(number, module, address - module.base(), handler.get()),
                () -> add(number, Kind.HANDLER, handler.get().address(), "decides"));
      }
    }
    return List.copyOf(steps);
  }

  /** Returns the numbers of the frames that have code among all named ones. */
  private static int[] numbers(List<NamedFrame> frames) {
    return java.util.stream.IntStream.range(0, frames.size())
        .filter(number -> !frames.get(number).isInlined())
        .toArray();
  }

  private void language(int frame, LoadedModule module, long rva, FrameHandler handler) {
    Optional<HandledFunction> handled =
        module.image().flatMap(image -> handled(module, image, rva));
    long base = module.base();
    switch (handled.map(HandledFunction::data).orElse(new HandlerData.Unknown(0))) {
      case HandlerData.Scopes(ScopeTable table, _) -> scopes(frame, base, rva, table);
      case HandlerData.Cxx(CxxFunction function, _) ->
          cxx(frame, base, function, function.stateAt(rva));
      case HandlerData.Cookie _ -> {
        // It checks the stack cookie and goes on.
      }
      case HandlerData.Itanium _ ->
          add(frame, Kind.HANDLER, handler.address(), "decides by the tables of GCC");
      case HandlerData.Unknown _ -> add(frame, Kind.HANDLER, handler.address(), "decides");
    }
  }

  private Optional<HandledFunction> handled(LoadedModule module, PeImage image, long rva) {
    try {
      FunctionTable table = tables.computeIfAbsent(module, _ -> FunctionTable.inPlace(image));
      LanguageHandlers handlers =
          languages.computeIfAbsent(module, _ -> LanguageHandlers.of(image, table));
      return table.entry(rva).flatMap(handlers::of);
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  private void scopes(int frame, long base, long rva, ScopeTable table) {
    for (ScopeTable.Scope scope : table.scopes()) {
      if (!scope.contains(rva)) {
        continue;
      }
      if (scope.isFinally()) {
        add(frame, Kind.FINALLY, base + scope.handler(), "runs when the frame is left");
      } else if (scope.takesAll()) {
        add(frame, Kind.EXCEPT, base + scope.target(), "takes every exception");
      } else {
        add(
            frame,
            Kind.FILTER,
            base + scope.handler(),
            "decides; if it takes the exception, 0x%x goes on".formatted(base + scope.target()));
      }
    }
  }

  /** Adds the catches of C++ around a state, then the destructors that run if none takes it. */
  private void cxx(int frame, long base, CxxFunction function, int state) {
    for (Try block : function.tries()) {
      if (block.low() <= state && state <= block.high()) {
        catches(frame, base, block);
      }
    }
    int at = state;
    for (int i = 0; i < MOST_STEPS && at >= 0 && at < function.steps().size(); i++) {
      Step step = function.steps().get(at);
      if (step.handler() != 0) {
        add(frame, Kind.CLEANUP, base + step.handler(), "runs when the frame is left");
      }
      at = step.toState();
    }
  }

  private void catches(int frame, long base, Try block) {
    for (Catch handler : block.catches()) {
      add(
          frame,
          Kind.CATCH,
          base + handler.handler(),
          handler.takesAll()
              ? "takes every exception (catch ...)"
              : "takes exceptions of type " + CxxTypeNames.readable(handler.typeName()));
    }
  }

  /** Returns the handlers of an x86 stack, whose chain begins in the thread's environment block. */
  List<HandlerStep> x86(ThreadStack stack) {
    SnapshotThread thread = stack.thread();
    if (thread.teb() == 0) {
      return List.of();
    }
    StackLimits limits =
        thread.hasLimits() ? new StackLimits(thread.low(), thread.high()) : StackLimits.UNKNOWN;
    SehChain chain = SehChain.read(process.memory(), process.modules(), thread.teb(), limits);
    int[] numbers = numbers(stack.frames());
    for (SehRecord record : chain.records()) {
      int owner = owner(stack, numbers, record.address());
      record(owner, owner < 0 ? 0 : stack.frames().get(owner).ip(), record);
    }
    return List.copyOf(steps);
  }

  /** Returns the number of the frame that a record lies in; -1 if it lies in none. */
  private static int owner(ThreadStack stack, int[] numbers, long address) {
    int owner = -1;
    for (int i = 0; i < stack.walked().size() && i < numbers.length; i++) {
      if (stack.walked().get(i).sp() <= address) {
        owner = numbers[i];
      }
    }
    return owner;
  }

  private void record(int frame, long ip, SehRecord record) {
    String flaw = flaw(record);
    if (!record.isAccepted()) {
      add(frame, Kind.HANDLER, record.handler(), "would not be called: " + flaw);
      return;
    }
    int before = steps.size();
    Optional<PeImage> image = record.module().flatMap(LoadedModule::image);
    if (image.isPresent()) {
      long base = record.module().get().base();
      Optional<FuncInfo3> cxx = function(image.get(), record.handler() - base);
      if (cxx.isPresent()) {
        cxx(frame, base, cxx.get(), word(record.address() + STATE_OF_CXX));
      } else {
        levels(frame, ip, image.get(), base, record);
      }
    }
    if (steps.size() == before) {
      add(frame, Kind.HANDLER, record.handler(), "decides" + (flaw.isEmpty() ? "" : "; " + flaw));
    }
  }

  private static String flaw(SehRecord record) {
    List<String> flaws = new ArrayList<>();
    record.flaws().stream().sorted().forEach(flaw -> flaws.add(flaw.text()));
    if (record.permission() != SehRecord.Permission.LISTED) {
      flaws.add(record.permission().text());
    }
    return String.join(", ", flaws);
  }

  private static Optional<FuncInfo3> function(PeImage image, long handler) {
    try {
      return SehFrame.cxx(image, handler);
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  /** Adds the {@code __try} blocks around the current level of the function of a frame. */
  private void levels(int frame, long ip, PeImage image, long base, SehRecord record) {
    Optional<SehFrame> seh = names.range(ip).flatMap(range -> seh(image, base, range));
    if (seh.isEmpty() || seh.get().handler() != record.handler() - base) {
      return;
    }
    List<SehFrame.Level> levels = seh.get().levels();
    int level = word(record.address() + LEVEL_OF_C);
    for (int i = 0; i < levels.size() && level >= 0 && level < levels.size(); i++) {
      SehFrame.Level block = levels.get(level);
      if (block.isFinally()) {
        add(frame, Kind.FINALLY, base + block.handler(), "runs when the frame is left");
      } else {
        add(
            frame,
            Kind.FILTER,
            base + block.filter(),
            "decides; if it takes the exception, 0x%x goes on".formatted(base + block.handler()));
      }
      level = block.enclosing();
    }
  }

  private static Optional<SehFrame> seh(PeImage image, long base, SnapshotNames.Range range) {
    try {
      return SehFrame.of(image, range.begin() - base, range.end() - base);
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  private int word(long address) {
    Bytes bytes = process.memory().readUpTo(address, 4);
    return bytes.length() < 4 ? -1 : bytes.i32(0);
  }

  private void add(int frame, Kind kind, long address, String action) {
    NamedFrame code = names.at(address);
    steps.add(
        new HandlerStep(frame, kind, address, code.module(), code.rva(), code.function(), action));
  }
}
