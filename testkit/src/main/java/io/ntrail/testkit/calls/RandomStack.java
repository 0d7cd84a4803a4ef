package io.ntrail.testkit.calls;

import io.ntrail.testkit.calls.RandomCalls.Call;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stack of {@link RandomCalls}: what is on it, and what its slots have. */
final class RandomStack {
  final int number;
  final List<Call> live = new ArrayList<>();
  final List<Call> slots = new ArrayList<>();
  final List<Call> unseen = new ArrayList<>();
  long leastKey;

  RandomStack(int number) {
    this.number = number;
  }

  @Nullable Call top() {
    return live.isEmpty() ? null : live.getLast();
  }

  long topKey() {
    return live.isEmpty() ? 0x1000000L * (number + 1) : live.getLast().key;
  }
}
