package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import org.jspecify.annotations.Nullable;

/** Entry or return of a system call as programs see it. */
final class SystemCallEvent extends EtwEvent {
  private final FieldReference status = new FieldReference("SysCallNtStatus");
  private RecordedSystemCalls.@Nullable Entered entered;
  private boolean isReturn;

  SystemCallEvent(Events.Walk walk) {
    super(walk);
  }

  /**
   * Goes to the event that the walk stands at.
   *
   * @param itsEntry of a return, if it is known
   */
  void moveTo(boolean returns, RecordedSystemCalls.@Nullable Entered itsEntry) {
    isReturn = returns;
    entered = itsEntry;
  }

  @Override
  public long argument(int number) {
    if (isReturn && number <= 1) {
      return (int) ProbeFields.number(event(), status);
    }
    // The kernel does not record what a service is called with.
    return super.argument(number);
  }

  @Override
  public long duration() {
    RecordedSystemCalls.Entered its = entered;
    if (!isReturn || its == null) {
      throw new Fault(Fault.Kind.ILLOP, 0);
    }
    return timestamp() - its.nanos();
  }
}
