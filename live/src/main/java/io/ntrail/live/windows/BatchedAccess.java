package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.windows.TargetMemory.Range;
import io.ntrail.live.windows.TargetMemory.Write;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads and writes of many places of a target's memory with few exchanges: what goes to them and
 * comes from them is gathered in memory of the agent.
 */
final class BatchedAccess {
  private static final String WRITE = "kernel32!WriteProcessMemory";

  /** Bytes that are read or written at once. */
  private static final int BUFFER = 0x8_0000;

  private final WindowsApi calls;
  private final long process;
  private long buffer;

  BatchedAccess(WindowsApi calls, long process) {
    this.calls = calls;
    this.process = process;
  }

  /**
   * Reads many ranges, small ones with few exchanges.
   *
   * @return for each what could be read from its first byte on
   */
  List<byte[]> readUpTo(List<Range> ranges) {
    List<byte[]> all = new ArrayList<>(ranges.size());
    for (int done = 0; done < ranges.size(); ) {
      int bytes = 0;
      int end = done;
      while (end < ranges.size() && ranges.get(end).length() <= BUFFER - bytes) {
        bytes += ranges.get(end).length();
        end++;
      }
      if (end - done < 2) {
        all.add(one(ranges.get(done)));
        done++;
      } else {
        readTogether(ranges.subList(done, end), bytes, all);
        done = end;
      }
    }
    return all;
  }

  /** Returns memory of the agent for what is read or written together. */
  private long buffer() {
    if (buffer == 0) {
      buffer = calls.must("no memory in the agent", "kernel32!VirtualAlloc", 0, BUFFER, 0x3000, 4);
    }
    return buffer;
  }

  private byte[] one(Range range) {
    return calls.agent().read(process, range.address(), range.length());
  }

  private void readTogether(List<Range> ranges, int bytes, List<byte[]> all) {
    List<AgentCall> reading = new ArrayList<>();
    long to = buffer();
    for (Range range : ranges) {
      reading.add(
          calls.prepare(
              "kernel32!ReadProcessMemory", process, range.address(), to, range.length(), 0));
      to += range.length();
    }
    List<CallOutcome> outcomes = calls.call(reading);
    Bytes read = calls.agent().peek(buffer(), bytes);
    int at = 0;
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      all.add(outcomes.get(i).isTrue() ? read.array(at, range.length()) : one(range));
      at += range.length();
    }
  }

  /**
   * Writes many ranges in their order, small ones with few exchanges.
   *
   * @throws CannotGoOn if one cannot be written
   */
  void write(List<Write> writes) {
    for (int done = 0; done < writes.size(); ) {
      BytesBuilder together = new BytesBuilder(BUFFER);
      List<AgentCall> batch = new ArrayList<>();
      int end = done;
      while (end < writes.size() && writes.get(end).bytes().length <= BUFFER - together.size()) {
        Write next = writes.get(end);
        batch.add(
            calls.prepare(
                WRITE,
                process,
                next.address(),
                buffer() + together.size(),
                next.bytes().length,
                0));
        together.bytes(next.bytes());
        end++;
      }
      if (end == done) {
        writeLarge(writes.get(done));
        done++;
        continue;
      }
      calls.agent().poke(buffer(), together.toArray());
      make(batch);
      done = end;
    }
  }

  private void writeLarge(Write one) {
    byte[] bytes = one.bytes();
    for (int done = 0; done < bytes.length; done += BUFFER) {
      int length = Math.min(BUFFER, bytes.length - done);
      calls.agent().poke(buffer(), Arrays.copyOfRange(bytes, done, done + length));
      make(List.of(calls.prepare(WRITE, process, one.address() + done, buffer(), length, 0)));
    }
  }

  private void make(List<AgentCall> batch) {
    for (CallOutcome outcome : calls.call(batch)) {
      if (!outcome.isTrue()) {
        throw WindowsApi.failed(
            "memory of the target could not be written", WRITE, outcome.error());
      }
    }
  }
}
