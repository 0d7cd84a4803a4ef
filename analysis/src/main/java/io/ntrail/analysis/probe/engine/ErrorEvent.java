package io.ntrail.analysis.probe.engine;

import java.util.List;

/** Fault of a clause, as ERROR clauses look at it. */
final class ErrorEvent implements ProbeEvent {
  private final ProbeEvent at;
  private final long[] arguments;

  ErrorEvent(ProbeEvent at, int enabling, int action, Fault fault) {
    this.at = at;
    this.arguments =
        new long[] {0, enabling, action, 0, fault.kind().ordinal(), fault.value(), 0, 0, 0, 0};
  }

  @Override
  public long timestamp() {
    return at.timestamp();
  }

  @Override
  public long wallTimestamp() {
    return at.wallTimestamp();
  }

  @Override
  public int cpu() {
    return at.cpu();
  }

  @Override
  public long processId() {
    return at.processId();
  }

  @Override
  public long threadId() {
    return at.threadId();
  }

  @Override
  public String program() {
    return at.program();
  }

  @Override
  public long argument(int number) {
    return arguments[number];
  }

  @Override
  public List<String> stack(boolean isUser) {
    return at.stack(isUser);
  }
}
