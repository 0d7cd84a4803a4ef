package io.ntrail.live.windows;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Prepared writes into a target that must be quick: the agent holds all bytes, so that each step is
 * one exchange with it.
 */
public final class PreparedWrites implements AutoCloseable {
  private static final String READ = "kernel32!ReadProcessMemory";
  private static final String COMPARE = "ntdll!RtlCompareMemory";
  private static final String WRITE = "kernel32!WriteProcessMemory";
  private static final String FLUSH = "kernel32!FlushInstructionCache";

  private final WindowsApi calls;
  private final long process;
  private final List<Place> places = new ArrayList<>();
  private final long buffer;

  /**
   * A write.
   *
   * @param before what should be there
   * @param after what will be there, as many bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Write(long address, byte[] before, byte[] after) {}

  /** A write whose bytes lie in the agent. */
  private record Place(long address, int size, long before, long after) {}

  PreparedWrites(WindowsApi calls, long process, List<Write> writes) {
    this.calls = calls;
    this.process = process;
    int most = writes.stream().mapToInt(write -> write.after.length).max().orElse(0);
    long total = 2L * writes.stream().mapToLong(write -> write.after.length).sum() + most;
    this.buffer =
        calls.must(
            "no memory in the agent", "kernel32!VirtualAlloc", 0, Math.max(1, total), 0x3000, 4);
    // The first bytes are for what is read to be compared.
    BytesBuilder bytes = new BytesBuilder(Math.toIntExact(total - most));
    for (Write write : writes) {
      int size = write.after.length;
      long at = buffer + most + bytes.size();
      bytes.bytes(write.before).bytes(write.after);
      places.add(new Place(write.address, size, at, at + size));
    }
    calls.agent().poke(buffer + most, bytes.toArray());
    // They are looked up now, which is an exchange, too.
    for (String name : List.of(READ, COMPARE, WRITE, FLUSH)) {
      calls.address(name);
    }
  }

  /** Returns whether everything that will be overwritten is as expected. */
  public boolean isStill() {
    List<AgentCall> batch = new ArrayList<>();
    for (Place place : places) {
      batch.add(calls.prepare(READ, process, place.address, buffer, place.size, 0));
      batch.add(calls.prepare(COMPARE, buffer, place.before, place.size));
    }
    List<CallOutcome> outcomes = calls.call(batch);
    for (int i = 0; i < places.size(); i++) {
      boolean equal = outcomes.get(2 * i + 1).result() == places.get(i).size;
      if (outcomes.get(2 * i).result() == 0 || !equal) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes.
   *
   * @throws CannotGoOn if something could not be written
   */
  public void write() {
    List<AgentCall> batch = new ArrayList<>();
    for (Place place : places) {
      batch.add(calls.prepare(WRITE, process, place.address, place.after, place.size, 0));
      batch.add(calls.prepare(FLUSH, process, place.address, place.size));
    }
    List<CallOutcome> outcomes = calls.call(batch);
    for (int i = 0; i < places.size(); i++) {
      CallOutcome outcome = outcomes.get(2 * i);
      if (outcome.kind() != CallOutcome.Kind.DONE || outcome.result() == 0) {
        throw WindowsApi.failed(
            "memory of the target could not be written at 0x%x".formatted(places.get(i).address),
            WRITE,
            outcome.error());
      }
    }
  }

  /** Frees the agent's memory. */
  @Override
  public void close() {
    calls.call("kernel32!VirtualFree", buffer, 0, 0x8000);
  }
}
