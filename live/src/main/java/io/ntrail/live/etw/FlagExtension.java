package io.ntrail.live.etw;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Block behind EVENT_TRACE_PROPERTIES that says more than the 32 bits of EnableFlags can: the only
 * way to stacks in Windows Vista, and to chosen processes in Windows 7.
 *
 * <p>All lengths in it are counted in words of 32 bits and include their own head. Sources: what
 * xperf handed to StartTrace, as published; ETWKernelControl.cs of PerfView. Immutable.
 */
public final class FlagExtension {
  /** Processes that can be chosen, by Windows' own limit. */
  public static final int MOST_PROCESSES = 8;

  private static final int GROUP_MASK = 1;
  private static final int PROCESS_IDS = 2;
  private static final int STACKS = 3;
  private static final int POOL_TAGS = 4;
  private static final int STACK_CACHING = 5;

  private record Item(int type, List<Integer> words) {}

  private final List<Item> items;

  /** Begins without items. */
  public FlagExtension() {
    this(List.of());
  }

  private FlagExtension(List<Item> items) {
    this.items = List.copyOf(items);
  }

  private FlagExtension with(int type, List<Integer> words) {
    List<Item> more = new ArrayList<>(items);
    more.add(new Item(type, List.copyOf(words)));
    return new FlagExtension(more);
  }

  /** Returns it with what is logged. */
  public FlagExtension groups(GroupMask mask) {
    List<Integer> words = new ArrayList<>();
    for (int i = 0; i < GroupMask.BYTES / Integer.BYTES; i++) {
      words.add(mask.word(i));
    }
    return with(GROUP_MASK, words);
  }

  /**
   * Returns it with the processes that are logged.
   *
   * @throws IllegalArgumentException if there are more than {@link #MOST_PROCESSES}
   */
  public FlagExtension processes(List<Integer> ids) {
    if (ids.size() > MOST_PROCESSES) {
      throw new IllegalArgumentException("more than " + MOST_PROCESSES + " processes");
    }
    return with(PROCESS_IDS, ids);
  }

  /**
   * Returns it with events that have stacks.
   *
   * @throws IllegalArgumentException if there are more than {@link StackEvents#MOST}
   */
  public FlagExtension stacks(List<StackEvent> events) {
    if (events.size() > StackEvents.MOST) {
      throw new IllegalArgumentException("more than " + StackEvents.MOST + " events with stacks");
    }
    return with(STACKS, events.stream().map(StackEvent::hookId).toList());
  }

  /** Returns it with tags of the pool allocations that are logged: four characters each. */
  public FlagExtension poolTags(List<Integer> tags) {
    return with(POOL_TAGS, tags);
  }

  /**
   * Returns it with a cache of stacks.
   *
   * @param bytes size of the cache; 0: that which Windows chooses
   * @param buckets of its hash table; 0: that which Windows chooses
   */
  public FlagExtension stackCaching(int bytes, int buckets) {
    return with(STACK_CACHING, List.of(bytes, buckets));
  }

  /** Returns the block. */
  public byte[] toBytes() {
    BytesBuilder bytes = new BytesBuilder(64);
    bytes.u16(0).u16(items.size());
    for (Item item : items) {
      bytes.u16(1 + item.words.size()).u16(item.type);
      item.words.forEach(bytes::u32);
    }
    return bytes.setU16(0, bytes.size() / Integer.BYTES).toArray();
  }
}
