package io.ntrail.formats.wprp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Profile of WPR with all that it refers to, as far as a session can be started from it.
 *
 * @param id as in {@code Name.Verbose.File}
 * @param inMemory whether WPR keeps the recording in memory until it is stopped
 * @param system what the kernel logs; empty: nothing
 * @param providers of programs, of all collectors
 * @param memory of all collectors of providers together
 * @param heaps processes whose heaps are recorded; none in it: those that are set up for it; empty:
 *     no heaps
 * @param collectors number of collectors of providers
 * @param ignored what the profile has besides, in words
 */
public record RecordingProfile(
    String id,
    boolean inMemory,
    Optional<Kernel> system,
    List<Provider> providers,
    Memory memory,
    Optional<List<Integer>> heaps,
    int collectors,
    List<String> ignored) {
  /** Keeps the lists from changes. */
  public RecordingProfile {
    providers = List.copyOf(providers);
    heaps = heaps.map(List::copyOf);
    ignored = List.copyOf(ignored);
  }

  /**
   * Memory and file of a collector.
   *
   * @param kibibytes size of a buffer; 0: as WPR chooses
   * @param buffers number of them; 0: as WPR chooses
   * @param mebibytes MaximumFileSize; 0: none
   * @param isRing whether the file begins anew when it has that size
   */
  public record Memory(int kibibytes, int buffers, int mebibytes, boolean isRing) {
    /** Nothing is said. */
    public static final Memory NONE = new Memory(0, 0, 0, false);

    /** Returns the room that both need together. */
    Memory and(Memory other) {
      int size = Math.max(kibibytes, other.kibibytes);
      long all = (long) kibibytes * buffers + (long) other.kibibytes * other.buffers;
      long count = size == 0 ? Math.max(buffers, other.buffers) : (all + size - 1) / size;
      return new Memory(
          size,
          (int) Math.min(count, Integer.MAX_VALUE),
          Math.max(mebibytes, other.mebibytes),
          isRing || other.isRing);
    }
  }

  /**
   * Cache of stacks.
   *
   * @param kibibytes its size; 0: as Windows chooses
   * @param buckets of its table; 0: as Windows chooses
   */
  public record StackCache(int kibibytes, int buckets) {}

  /**
   * Part of the kernel.
   *
   * @param memory of its collector
   * @param keywords names of groups, as WPR has them, or numbers
   * @param stacks names of events, as WPR has them, or numbers
   * @param sampled counters that samples are taken by, with their intervals (0: as it is)
   * @param counters that are recorded with events
   * @param counterEvents the events that they are recorded with
   * @param branchEvents events with last branches
   * @param branchesLeftOut kinds of branches that are left out, as WPR has them
   * @param stackCache cache with which equal stacks are recorded once; empty: none
   * @param poolTags tags of the pool allocations that are recorded; none: all
   * @param hasProcessorTrace whether Processor Trace is recorded with events
   */
  public record Kernel(
      Memory memory,
      List<String> keywords,
      List<String> stacks,
      Map<String, Integer> sampled,
      List<String> counters,
      List<String> counterEvents,
      List<String> branchEvents,
      List<String> branchesLeftOut,
      Optional<StackCache> stackCache,
      List<String> poolTags,
      boolean hasProcessorTrace) {
    /** Keeps the collections from changes. */
    public Kernel {
      keywords = List.copyOf(keywords);
      stacks = List.copyOf(stacks);
      sampled = Map.copyOf(sampled);
      counters = List.copyOf(counters);
      counterEvents = List.copyOf(counterEvents);
      branchEvents = List.copyOf(branchEvents);
      branchesLeftOut = List.copyOf(branchesLeftOut);
      poolTags = List.copyOf(poolTags);
    }
  }

  /**
   * Events by their ids.
   *
   * @param isChosen whether they are the ones that are recorded, or those that are not
   * @param ids of the events
   */
  public record Ids(boolean isChosen, List<Integer> ids) {
    /** Keeps the list from changes. */
    public Ids {
      ids = List.copyOf(ids);
    }
  }

  /**
   * Provider of a program.
   *
   * @param name or GUID; with a star in front, a name that its GUID follows from
   * @param level of detail; 0: all
   * @param keywords of which an event has to have one; 0: all
   * @param properties EVENT_ENABLE_PROPERTY of evntrace.h: what is recorded with each event
   * @param events that are recorded; empty: all
   * @param stacks events with stacks; empty: all
   * @param programs names of their files, separated by semicolons; empty: all
   * @param isStrict whether nothing is recorded where the provider cannot be had
   * @param state when it is asked for its state
   */
  public record Provider(
      String name,
      int level,
      long keywords,
      int properties,
      Optional<Ids> events,
      Optional<Ids> stacks,
      String programs,
      boolean isStrict,
      State state) {}

  /**
   * Request for the state of a provider.
   *
   * @param isOnly whether it logs nothing else
   * @param atStart keywords with which it is asked when the recording begins
   * @param atSave keywords with which it is asked before the recording is saved
   */
  public record State(boolean isOnly, OptionalLong atStart, OptionalLong atSave) {
    /** It is not asked. */
    public static final State NONE = new State(false, OptionalLong.empty(), OptionalLong.empty());
  }
}
