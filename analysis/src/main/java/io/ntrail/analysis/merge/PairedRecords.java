package io.ntrail.analysis.merge;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records that mean something only together: a context switch and the one that ends the wait which
 * it began, a request and its completion, an event of .NET and the event with its stack. Who keeps
 * one of them is told of the others. Records come in time order.
 */
final class PairedRecords {
  /** Requests, operations or events that wait for their other half at once, of each kind. */
  private static final int MOST = 1 << 18;

  /** Takes a record that has to be kept for another one. */
  @FunctionalInterface
  interface Keeper {
    /** Keeps the record. */
    void keep(Place place);
  }

  /**
   * Place of a record.
   *
   * @param file number of its file
   * @param buffer of the file
   * @param offset in the buffer, as a cursor gives it
   * @param key that orders records by time
   * @param isKept true if it was kept when it came
   */
  record Place(int file, int buffer, int offset, long key, boolean isKept) {
    /** Returns the place of the same record that is kept after all. */
    Place kept() {
      return new Place(file, buffer, offset, key, true);
    }
  }

  /** A thread that has left its CPU. */
  private static final class Away {
    final Place left;

    /** Context switch before it on its CPU. */
    final @Nullable Place before;

    @Nullable Place ready;

    Away(Place left, @Nullable Place before) {
      this.left = left;
      this.before = before;
    }
  }

  private record Half(int thread, long match) {}

  /** Map that forgets what it has had for longest when there is too much. */
  private static final class Waiting<K> extends LinkedHashMap<K, Place> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, Place> eldest) {
      return size() > MOST;
    }
  }

  private static final @Nullable Place[] NONE = {};

  private final Keeper keeper;

  /** Last context switches, by file and CPU. */
  private @Nullable Place[][] switches = {};

  private final Map<Integer, Away> away = new HashMap<>();
  private final Waiting<Long> requests = new Waiting<>();
  private final Waiting<Long> operations = new Waiting<>();
  private final Waiting<Integer> clrEvents = new Waiting<>();
  private final Waiting<Half> halves = new Waiting<>();

  PairedRecords(Keeper keeper) {
    this.keeper = keeper;
  }

  /**
   * Goes to the next step.
   *
   * @param place of its record
   */
  void visit(PairSteps steps, int step, Place place) {
    long match = steps.match(step);
    int thread = steps.thread(step);
    switch (steps.step(step)) {
      case PairSteps.SWITCH, PairSteps.SWITCH_OF_ENDED, PairSteps.SWITCH_OF_UNKNOWN ->
          contextSwitch(steps, step, place);
      case PairSteps.READY -> ready(thread, place);
      case PairSteps.LIFE -> away.remove(thread);
      case PairSteps.REQUEST -> requests.put(match, place);
      case PairSteps.REQUEST_END -> join(requests.remove(match), place);
      case PairSteps.OPERATION -> operations.put(match, place);
      case PairSteps.OPERATION_END -> join(operations.remove(match), place);
      case PairSteps.HALF -> {
        Half half = new Half(thread, match);
        Place first = halves.remove(half);
        if (first == null) {
          halves.put(half, place);
        } else {
          join(first, place);
        }
      }
      case PairSteps.CLR_STACK -> join(clrEvents.remove(thread), place);
      case PairSteps.CLR -> {
        clrEvents.remove(thread);
        clrEvents.put(thread, place);
      }
      default -> throw new IllegalArgumentException("step " + steps.step(step));
    }
  }

  /** Keeps the last context switch of a CPU: records without ids belong to the thread that runs. */
  void keepSwitch(int file, int cpu) {
    keep(switches(file, cpu)[cpu]);
  }

  private @Nullable Place[] switches(int file, int cpu) {
    if (file >= switches.length) {
      int before = switches.length;
      switches = Arrays.copyOf(switches, file + 1);
      Arrays.fill(switches, before, file + 1, NONE);
    }
    if (cpu >= switches[file].length) {
      switches[file] = Arrays.copyOf(switches[file], Growth.length(cpu, cpu + 1));
    }
    return switches[file];
  }

  /** Keeps what has begun and not ended yet: at the end of a time range it still is so. */
  void settle() {
    away.values().forEach(this::keep);
    operations.values().forEach(this::keep);
  }

  private void keep(Away left) {
    keep(left.left);
    keep(left.before);
    keep(left.ready);
  }

  private void keep(@Nullable Place place) {
    if (place != null && !place.isKept) {
      keeper.keep(place);
    }
  }

  private void contextSwitch(PairSteps steps, int step, Place place) {
    int cpu = steps.cpu(step);
    @Nullable Place[] ofFile = switches(place.file, cpu);
    Place before = ofFile[cpu];
    ofFile[cpu] = place;
    if (place.isKept) {
      keep(before);
    }
    int out = steps.thread(step);
    int in = (int) steps.match(step);
    if (steps.step(step) != PairSteps.SWITCH_OF_UNKNOWN && out != 0) {
      if (steps.step(step) == PairSteps.SWITCH_OF_ENDED) {
        away.remove(out);
      } else {
        away.put(out, new Away(place, before));
      }
    }
    Away left = in == 0 ? null : away.remove(in);
    if (left == null) {
      return;
    }
    if (place.isKept) {
      keep(left);
    } else if (left.left.isKept) {
      // The wait began in what is kept: its end belongs to it.
      keep(place);
    }
  }

  private void ready(int thread, Place place) {
    Away left = away.get(thread);
    if (left != null && left.ready == null) {
      left.ready = place;
      if (left.left.isKept) {
        keep(place);
      }
    }
  }

  /** Keeps both of two records if one of them is kept. */
  private void join(@Nullable Place first, Place second) {
    if (first == null) {
      return;
    }
    if (second.isKept) {
      keep(first);
    } else if (first.isKept) {
      keep(second);
    }
  }
}
