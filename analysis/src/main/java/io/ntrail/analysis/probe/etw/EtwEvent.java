package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.EventDisplayName;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Event of a recording as programs see it, at the place where a walk stands. */
class EtwEvent implements ProbeEvent {
  /** 1970 in units of 100 ns since 1601. */
  static final long UNIX_EPOCH = 116_444_736_000_000_000L;

  private final Events.Walk walk;

  EtwEvent(Events.Walk walk) {
    this.walk = walk;
  }

  final EventReader event() {
    return walk.event();
  }

  @Override
  public final long timestamp() {
    return event().nanos();
  }

  @Override
  public final long wallTimestamp() {
    RecordCursor record = event().record();
    return (record.file().clock().fileTime(record.ticks()) - UNIX_EPOCH) * 100;
  }

  @Override
  public final int cpu() {
    return event().record().cpu();
  }

  @Override
  public long processId() {
    return event().processId();
  }

  @Override
  public long threadId() {
    return event().threadId();
  }

  /** Returns the process; null if it is not recorded. */
  @Nullable ProcessInstance process() {
    return event().processLife();
  }

  @Override
  public final long parentId() {
    ProcessInstance process = process();
    return process == null ? RecordCursor.NO_ID : process.parent();
  }

  @Override
  public final String program() {
    ProcessInstance process = process();
    return process == null ? UNKNOWN_NAME : process.image();
  }

  @Override
  public final boolean hasUnknownProcess() {
    EventType type = event().type();
    return process() == null
        && (threadId() != UNKNOWN || processId() != UNKNOWN)
        && !EventDisplayName.isOfRecorder(type.provider(), type.event());
  }

  @Override
  public final String commandLine() {
    ProcessInstance process = process();
    String line = process == null ? null : process.commandLine();
    if (line == null) {
      throw new Fault(Fault.Kind.ILLOP, 0);
    }
    return line;
  }

  @Override
  public long field(FieldReference field) {
    return ProbeFields.number(event(), field);
  }

  @Override
  public @Nullable String fieldText(FieldReference field) {
    return ProbeFields.text(event(), field);
  }

  /** Returns the names of a place; without a function its address in the module. */
  private static CodeName name(NamedFrame frame) {
    String module = frame.module();
    if (module == null) {
      return new CodeName("", "", 0);
    }
    String function = frame.function();
    long address = frame.rva() == NamedFrame.UNKNOWN ? frame.ip() : frame.rva();
    return CodeName.of(
        module,
        function == null ? "0x" + Long.toHexString(address) : function,
        function == null ? 0 : Math.max(0, frame.offset()));
  }

  @Override
  public final CodeName code(long address) {
    return name(walk.place((int) processId(), address));
  }

  @Override
  public final List<String> stack(boolean isUser) {
    List<String> texts = new ArrayList<>();
    for (NamedFrame frame : walk.stack()) {
      // Addresses of the kernel have the highest bit.
      if (frame.ip() >= 0 == isUser) {
        texts.add(name(frame).text(frame.ip()));
      }
    }
    return texts;
  }
}
