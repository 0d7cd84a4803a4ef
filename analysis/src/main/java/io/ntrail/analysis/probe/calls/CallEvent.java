package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallEvents;
import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.model.CallerStack;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Entry or end of a call as programs see it. */
final class CallEvent implements ProbeEvent {
  private static final CallThread NOBODY = new CallThread(0, 0, null, null, 0, 0);

  private final CallSource source;
  private final CallNames names;
  private CallEvents.@Nullable Event event;
  private CallThread thread = NOBODY;

  CallEvent(CallSource source, CallNames names) {
    this.source = source;
    this.names = names;
  }

  void moveTo(CallEvents.Event next, CallThread its) {
    event = next;
    thread = its;
  }

  private CallEvents.Event event() {
    CallEvents.Event current = event;
    if (current == null) {
      throw new IllegalStateException("not on an event");
    }
    return current;
  }

  /** Returns the fault of what the recording does not have. */
  static Fault notRecorded() {
    return new Fault(Fault.Kind.ILLOP, 0);
  }

  @Override
  public long timestamp() {
    return event().time();
  }

  @Override
  public long wallTimestamp() {
    return source.begunAt().orElseThrow(CallEvent::notRecorded) + timestamp();
  }

  @Override
  public int cpu() {
    return (int) UNKNOWN;
  }

  @Override
  public long processId() {
    return thread.pid();
  }

  @Override
  public long threadId() {
    return thread.tid();
  }

  @Override
  public String program() {
    String process = thread.process();
    return process == null ? UNKNOWN_NAME : process;
  }

  @Override
  public boolean hasUnknownProcess() {
    return thread.process() == null;
  }

  @Override
  public long duration() {
    CallEvents.Event current = event();
    if (current.kind() == CallEvents.Kind.ENTRY || current.entry() < 0) {
      throw notRecorded();
    }
    return current.time() - current.entry();
  }

  @Override
  public long exception() {
    return event().kind() == CallEvents.Kind.UNWIND ? event().value() & 0xFFFF_FFFFL : 0;
  }

  @Override
  public long argument(int number) {
    CallEvents.Event current = event();
    return switch (current.kind()) {
      case ENTRY -> {
        int index =
            names
                .arguments(current.function())
                .map(its -> number < its.indexes().length ? its.indexes()[number] : -1)
                .orElse(number);
        if (index < 0 || index >= current.arguments().length) {
          throw notRecorded();
        }
        yield current.arguments()[index];
      }
      case RETURN -> {
        if (number != 1 || !source.hasReturnedValues()) {
          throw notRecorded();
        }
        yield names.returned(current.function(), current.value());
      }
      case UNWIND -> {
        if (number != 1) {
          throw notRecorded();
        }
        yield current.value();
      }
    };
  }

  @Override
  public byte[] memory(long address, int length) {
    return event().memory().read(address, length);
  }

  @Override
  public CodeName code(long address) {
    Optional<CallModule> module = source.moduleAt(event().thread(), address);
    if (module.isEmpty()) {
      return new CodeName("", "", 0);
    }
    CallModule its = module.get();
    long rva = address - its.base();
    // Where functions end is not recorded: only their begins have names.
    return CodeName.of(
        its.name(), names.at(its, rva).orElseGet(() -> "0x" + Long.toHexString(rva)), 0);
  }

  @Override
  public List<String> stack(boolean isUser) {
    if (!isUser) {
      return List.of();
    }
    CallEvents.Event current = event();
    CallerStack callers =
        Optional.of(current.entry())
            .filter(entry -> entry >= 0)
            .flatMap(entry -> source.callers(current.thread(), entry))
            .orElseThrow(() -> new Fault(Fault.Kind.BADSTACK, 0));
    List<String> frames = new ArrayList<>();
    CallNames.Name own = names.of(current.function());
    frames.add(ProbeEvent.frame(own.module(), own.function(), 0));
    for (CallerStack.Frame frame : callers.frames()) {
      frames.add(text(current.thread(), frame));
    }
    return frames;
  }

  private String text(int of, CallerStack.Frame frame) {
    Optional<CallModule> module = source.moduleAt(of, frame.address());
    if (module.isEmpty()) {
      return "0x" + Long.toHexString(frame.address());
    }
    CallModule its = module.get();
    return names
        .of(its, frame)
        .map(name -> ProbeEvent.frame(its.name(), name, frame.offset()))
        .orElseGet(() ->
            ProbeEvent.frame(its.name(), "0x" + Long.toHexString(frame.address() - its.base()), 0));
  }
}
