package io.ntrail.live.etw;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import java.util.List;

/**
 * Argument of TraceSetInformation (Windows 7 and later): what EVENT_TRACE_PROPERTIES does not say.
 *
 * <p>Sources: evntrace.h; ETWKernelControl.cs of PerfView; ntexapi.h for the bits of branches.
 *
 * @param infoClass TRACE_INFO_CLASS
 * @param data that belongs to it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TraceSetting(int infoClass, byte[] data) {
  /** Sampling interval of the timer in units of 100 ns, by Windows' own limits. */
  public static final int LEAST_INTERVAL = 1221;

  /** See {@link #LEAST_INTERVAL}. */
  public static final int MOST_INTERVAL = 10_000_000;

  /** Counters of the processor, and events that they are recorded with. */
  public static final int MOST_COUNTERS = 4;

  private static final int STACKS = 3;
  private static final int GROUPS = 4;
  private static final int INTERVAL = 5;
  private static final int SAMPLED = 6;
  private static final int COUNTER_EVENTS = 8;
  private static final int COUNTERS = 9;
  private static final int BRANCHES = 20;
  private static final int BRANCH_EVENTS = 21;
  private static final int STACK_CACHING = 24;
  private static final int EVENT_ID = 24;

  /** Copies the data. */
  public TraceSetting {
    data = data.clone();
  }

  @Override
  public byte[] data() {
    return data.clone();
  }

  /** Returns the events with stacks, which replace those of before. */
  public static TraceSetting stacks(List<StackEvent> events) {
    return new TraceSetting(STACKS, eventIds(events, StackEvents.MOST));
  }

  /** Returns what is logged. */
  public static TraceSetting groups(GroupMask mask) {
    return new TraceSetting(GROUPS, mask.toBytes());
  }

  /**
   * Returns how often a source is sampled, in all sessions.
   *
   * @param source 0: the timer; else a counter of the processor
   * @param interval in units of 100 ns, or events of the counter
   * @throws IllegalArgumentException if it is not between the limits of the timer
   */
  public static TraceSetting interval(int source, int interval) {
    if (source == 0 && (interval < LEAST_INTERVAL || interval > MOST_INTERVAL)) {
      throw new IllegalArgumentException("interval " + interval);
    }
    return new TraceSetting(INTERVAL, words(List.of(source, interval)));
  }

  /** Returns the counters at whose intervals samples are taken, on the whole machine. */
  public static TraceSetting sampledCounters(List<Integer> sources) {
    return new TraceSetting(SAMPLED, words(sources));
  }

  /** Returns the events that counters are recorded with. */
  public static TraceSetting counterEvents(List<StackEvent> events) {
    return new TraceSetting(COUNTER_EVENTS, eventIds(events, MOST_COUNTERS));
  }

  /**
   * Returns the counters that are recorded with events.
   *
   * @throws IllegalArgumentException if there are more than {@link #MOST_COUNTERS}
   */
  public static TraceSetting counters(List<Integer> sources) {
    if (sources.size() > MOST_COUNTERS) {
      throw new IllegalArgumentException("more than " + MOST_COUNTERS + " counters");
    }
    return new TraceSetting(COUNTERS, words(sources));
  }

  /**
   * Returns which branches the processor's last-branch records leave out.
   *
   * @param flags 1: the kernel's; 2: programs'; 4 and above: kinds of branches
   */
  public static TraceSetting branches(int flags) {
    return new TraceSetting(BRANCHES, words(List.of(flags)));
  }

  /**
   * Returns the events that last branches are recorded with.
   *
   * @throws IllegalArgumentException if there are more than {@link #MOST_COUNTERS}
   */
  public static TraceSetting branchEvents(List<StackEvent> events) {
    if (events.size() > MOST_COUNTERS) {
      throw new IllegalArgumentException("more than " + MOST_COUNTERS + " events");
    }
    return new TraceSetting(BRANCH_EVENTS, StackEvents.filter(events));
  }

  /**
   * Returns a cache of stacks (Windows 10 build 19582 and later).
   *
   * @param bytes size of the cache; 0: that which Windows chooses
   * @param buckets of its hash table; 0: that which Windows chooses
   */
  public static TraceSetting stackCaching(int bytes, int buckets) {
    return new TraceSetting(
        STACK_CACHING, new BytesBuilder(12).u8(1).zeros(3).u32(bytes).u32(buckets).toArray());
  }

  private static byte[] words(List<Integer> words) {
    BytesBuilder bytes = new BytesBuilder(words.size() * Integer.BYTES);
    words.forEach(bytes::u32);
    return bytes.toArray();
  }

  /** Returns CLASSIC_EVENT_ID of each: GUID of its class, type, seven bytes of zeros. */
  private static byte[] eventIds(List<StackEvent> events, int most) {
    if (events.size() > most) {
      throw new IllegalArgumentException("more than " + most + " events");
    }
    KernelEvents classes = new KernelEvents();
    BytesBuilder bytes = new BytesBuilder(events.size() * EVENT_ID);
    for (StackEvent event : events) {
      // Windows asks for stacks of loaded images by the class of processes, where its hook id is.
      Guid guid =
          classes.classGuid(
              event.hookId() == KernelEvent.IMAGE_LOAD
                  ? KernelEvent.hookId(KernelEvent.group(event.hookId()), 1)
                  : event.hookId());
      bytes.u64(guid.low()).u64(guid.high()).u8(KernelEvent.type(event.hookId())).zeros(7);
    }
    return bytes.toArray();
  }
}
