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

  /** Context switches of one CPU after each other that are remembered for an earlier one. */
  private static final int MOST_FOLLOWING = 1 << 6;

  /** Ends of requests or operations that are remembered, of each kind. */
  private static final int MOST_ENDED = 1 << 14;

  /** A context switch. */
  private static final class Switch {
    final Place place;

    /** True if it brings a chosen thread, whose time on the CPU must end in what is kept, too. */
    boolean isChosen;

    boolean isKept;

    /** The switch after it on its CPU, if that has to be kept with it. */
    @Nullable Switch next;

    /** Number of switches before it that have a next one, up to this one. */
    private int following;

    Switch(Place place, boolean isChosen) {
      this.place = place;
      this.isChosen = isChosen;
      this.isKept = place.isKept;
    }
  }

  /** A thread that has left its CPU. */
  private static final class Away {
    final Switch left;

    /** Context switch before it on its CPU. */
    final @Nullable Switch before;

    @Nullable Place ready;

    Away(Switch left, @Nullable Switch before) {
      this.left = left;
      this.before = before;
    }
  }

  /**
   * A request or operation that has begun.
   *
   * @param isAfterKept true if it took the number of one that did not end, and that is kept
   */
  private record Begun(Place place, boolean isAfterKept) {}

  private record Half(int thread, long match) {}

  /** Map that forgets what it has had for longest when there is too much. */
  private static final class Waiting<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int most;

    Waiting(int most) {
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }

  /** Requests or operations, by their numbers, which are used again and again. */
  private final class Numbered {
    private final Waiting<Long, Begun> begun = new Waiting<>(MOST);

    /** Ends of the last ones that have ended. */
    private final Waiting<Long, Place> ended = new Waiting<>(MOST_ENDED);

    void begin(long number, Place place) {
      ended.remove(number);
      Begun before = begun.get(number);
      boolean isAfterKept = false;
      if (before != null) {
        Place its = before.place;
        boolean isNeeded = its.isKept || isAcross(its, place);
        if (isNeeded) {
          // That it did not end is told by this one, and the next end is not its own.
          keep(its);
          keep(place);
        }
        isAfterKept = isNeeded || before.isAfterKept;
      }
      begun.put(number, new Begun(place, isAfterKept));
    }

    void end(long number, Place place) {
      Begun its = begun.remove(number);
      if (its == null) {
        Place before = ended.get(number);
        if (place.isKept) {
          // Else it would be taken for the end of one that has ended.
          keep(before);
        }
        return;
      }
      ended.put(number, place);
      if (its.isAfterKept || isAcross(its.place, place)) {
        keep(its.place);
        keep(place);
      } else {
        join(its.place, place);
      }
    }
  }

  private static final @Nullable Switch[] NONE = {};

  private final Keeper keeper;
  private final boolean isOneClock;
  private final boolean asksOwners;

  /** Last context switches, by file and CPU; with one clock all files have the same CPUs. */
  private @Nullable Switch[][] switches = {};

  /** Key of the first record of the time range. */
  private long beginning = Long.MIN_VALUE;

  private final Map<Integer, Away> away = new HashMap<>();
  private final Numbered requests = new Numbered();
  private final Numbered operations = new Numbered();
  private final Waiting<Integer, Place> clrEvents = new Waiting<>(MOST);
  private final Waiting<Half, Place> halves = new Waiting<>(MOST);

  /**
   * Knows no records yet.
   *
   * @param isOneClock true if all files have the same clock
   * @param asksOwners true if what is kept depends on the threads that records belong to
   */
  PairedRecords(Keeper keeper, boolean isOneClock, boolean asksOwners) {
    this.keeper = keeper;
    this.isOneClock = isOneClock;
    this.asksOwners = asksOwners;
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
      case PairSteps.LIFE -> {
        Away left = away.remove(thread);
        if (left != null && steps.has(step, PairSteps.LEAVES)) {
          // That it did not come back is told by its end.
          keep(left);
        }
      }
      case PairSteps.REQUEST -> requests.begin(match, place);
      case PairSteps.REQUEST_END -> requests.end(match, place);
      case PairSteps.OPERATION -> operations.begin(match, place);
      case PairSteps.OPERATION_END -> operations.end(match, place);
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

  /**
   * Keeps the last context switch of a CPU for a record that passes: records without ids belong to
   * the thread that runs.
   */
  void keepSwitchOf(int file, int cpu) {
    Switch last = switches(file, cpu)[cpu];
    if (last != null) {
      last.isChosen |= asksOwners;
      keep(last);
    }
  }

  /** Keeps the last context switch of a CPU. */
  void keepSwitch(int file, int cpu) {
    keep(switches(file, cpu)[cpu]);
  }

  private @Nullable Switch[] switches(int file, int cpu) {
    int row = isOneClock ? 0 : file;
    if (row >= switches.length) {
      int before = switches.length;
      switches = Arrays.copyOf(switches, row + 1);
      Arrays.fill(switches, before, row + 1, NONE);
    }
    if (cpu >= switches[row].length) {
      switches[row] = Arrays.copyOf(switches[row], Growth.length(cpu, cpu + 1));
    }
    return switches[row];
  }

  /**
   * Notes that the time range begins.
   *
   * @param key of its first record
   */
  void begin(long key) {
    beginning = key;
    if (asksOwners) {
      // Of the switches before it, these tell which threads run.
      for (@Nullable Switch[] ofFile : switches) {
        for (Switch last : ofFile) {
          keep(last);
        }
      }
    }
  }

  /** Keeps what has begun and not ended yet: at the end of a time range it still is so. */
  void settle() {
    away.values().forEach(this::keep);
    operations.begun.values().forEach(begun -> keep(begun.place));
  }

  private void keep(Away left) {
    keep(left.left);
    keep(left.before);
    keep(left.ready);
  }

  private void keep(@Nullable Switch one) {
    for (Switch next = one; next != null && !next.isKept; next = next.next) {
      next.isKept = true;
      keeper.keep(next.place);
    }
  }

  private void keep(@Nullable Place place) {
    if (place != null && !place.isKept) {
      keeper.keep(place);
    }
  }

  private void contextSwitch(PairSteps steps, int step, Place place) {
    int cpu = steps.cpu(step);
    @Nullable Switch[] ofFile = switches(place.file, cpu);
    Switch before = ofFile[cpu];
    Switch now = new Switch(place, steps.has(step, PairSteps.BRINGS));
    ofFile[cpu] = now;
    boolean leaves = steps.has(step, PairSteps.LEAVES);
    if (leaves) {
      keep(now);
    }
    if (now.isKept) {
      keep(before);
    }
    // The id of a thread that has ended may be that of a chosen one soon.
    boolean hasEnded = asksOwners && steps.step(step) == PairSteps.SWITCH_OF_ENDED;
    if (before != null && (before.isChosen || hasEnded)) {
      follow(before, now);
    }
    leave(steps, step, new Away(now, before));
    int in = (int) steps.match(step);
    Away left = in == 0 ? null : away.remove(in);
    if (left == null) {
      return;
    }
    if (place.isKept) {
      keep(left);
    } else if (left.left.place.isKept) {
      // The wait began in what is kept: its end belongs to it.
      keep(now);
    }
  }

  /** Keeps the switch after one that brings a chosen thread, if that is kept now or later. */
  private void follow(Switch before, Switch now) {
    if (before.isKept || before.following == MOST_FOLLOWING) {
      keep(now);
    } else {
      before.next = now;
      now.following = before.following + 1;
    }
  }

  private void leave(PairSteps steps, int step, Away left) {
    int out = steps.thread(step);
    if (steps.step(step) == PairSteps.SWITCH_OF_UNKNOWN || out == 0) {
      return;
    }
    Away earlier =
        steps.step(step) == PairSteps.SWITCH_OF_ENDED ? away.remove(out) : away.put(out, left);
    if (earlier == null) {
      return;
    }
    if (steps.has(step, PairSteps.LEAVES)) {
      // That it left twice and did not come back is told.
      keep(earlier);
    } else if (earlier.left.place.isKept) {
      keep(left.left);
    }
  }

  private void ready(int thread, Place place) {
    Away left = away.get(thread);
    if (left != null && left.ready == null) {
      left.ready = place;
      if (left.left.place.isKept) {
        keep(place);
      }
    }
  }

  /** Returns true if the time range begins between two records. */
  private boolean isAcross(Place first, Place second) {
    return first.key < beginning && second.key >= beginning;
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
