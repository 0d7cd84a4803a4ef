package io.ntrail.live.etw;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;

/**
 * Last argument of EnableTraceEx2: ENABLE_TRACE_PARAMETERS with filters. Version 2 has a count of
 * filters, and needs Windows 8.1; without filters it is version 1, which Windows 7 takes, too.
 *
 * <p>Source: evntrace.h and evntprov.h of mingw-w64.
 *
 * @param properties EVENT_ENABLE_PROPERTY: what is recorded with each event
 * @param source GUID that the provider is told; zero: none
 * @param filters by which Windows or the provider selects events
 */
public record EnableParameters(int properties, Guid source, List<Filter> filters) {
  /** Stacks are recorded with the events. */
  public static final int STACKS = 4;

  /** Bytes of a filter by names, by Windows' own limit (MAX_EVENT_FILTER_DATA_SIZE). */
  public static final int MOST_BYTES = 1024;

  /** Processes that can be chosen, by Windows' own limit. */
  public static final int MOST_PROCESSES = 8;

  private static final int DESCRIPTOR = 16;
  private static final int ALIGNMENT = 8;

  /** EVENT_FILTER_TYPE_PID. */
  private static final int PROCESS_IDS = 0x8000_0004;

  /** EVENT_FILTER_TYPE_EXECUTABLE_NAME. */
  private static final int EXECUTABLES = 0x8000_0008;

  /** EVENT_FILTER_TYPE_EVENT_ID. */
  private static final int EVENT_IDS = 0x8000_0200;

  /** EVENT_FILTER_TYPE_STACKWALK. */
  private static final int STACK_IDS = 0x8000_1000;

  /**
   * Filter.
   *
   * @param type EVENT_FILTER_TYPE
   * @param data that belongs to it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Filter(int type, byte[] data) {
    /** Copies the data. */
    public Filter {
      data = data.clone();
    }

    @Override
    public byte[] data() {
      return data.clone();
    }

    /**
     * Returns the one for events of processes.
     *
     * @throws IllegalArgumentException if there are more than {@link #MOST_PROCESSES}
     */
    public static Filter processes(List<Integer> ids) {
      if (ids.size() > MOST_PROCESSES) {
        throw new IllegalArgumentException("more than " + MOST_PROCESSES + " processes");
      }
      BytesBuilder bytes = new BytesBuilder(ids.size() * Integer.BYTES);
      ids.forEach(bytes::u32);
      return new Filter(PROCESS_IDS, bytes.toArray());
    }

    /** Returns the one for events of programs, by names of their files. */
    public static Filter executables(List<String> names) {
      return new Filter(
          EXECUTABLES, new BytesBuilder(64).utf16z(String.join(";", names)).toArray());
    }

    /** Returns the one for events by id. */
    public static Filter events(boolean isChosen, List<Integer> ids) {
      return new Filter(EVENT_IDS, ids(isChosen, ids));
    }

    /** Returns the one that records stacks only with some events. */
    public static Filter stacks(boolean isChosen, List<Integer> ids) {
      return new Filter(STACK_IDS, ids(isChosen, ids));
    }

    private static byte[] ids(boolean isChosen, List<Integer> ids) {
      BytesBuilder bytes = new BytesBuilder(4 + ids.size() * Short.BYTES);
      bytes.u8(isChosen ? 1 : 0).u8(0).u16(ids.size());
      ids.forEach(bytes::u16);
      return bytes.toArray();
    }
  }

  /** Keeps the list from changes. */
  public EnableParameters {
    filters = List.copyOf(filters);
  }

  /**
   * Returns the structure with its filters.
   *
   * @param address where it will lie
   * @param pointerBytes size of a pointer of the code that makes the call, 4 or 8
   */
  public byte[] toBytes(long address, int pointerBytes) {
    BytesBuilder out = new BytesBuilder(256);
    out.u32(filters.isEmpty() ? 1 : 2).u32(properties).u32(0).u64(source.low()).u64(source.high());
    int head = pointerBytes == Long.BYTES ? 48 : 40;
    long list = filters.isEmpty() ? 0 : address + head;
    if (pointerBytes == Long.BYTES) {
      out.zeros(4).u64(list);
    } else {
      out.u32((int) list);
    }
    out.u32(filters.size());
    // In 32-bit code the structure has 36 bytes; what follows is aligned all the same.
    out.zeros(head - out.size());
    int at = head + filters.size() * DESCRIPTOR;
    List<Integer> places = new ArrayList<>();
    for (Filter filter : filters) {
      places.add(at);
      out.u64(address + at).u32(filter.data.length).u32(filter.type);
      at = (at + filter.data.length + ALIGNMENT - 1) & -ALIGNMENT;
    }
    for (int i = 0; i < places.size(); i++) {
      out.zeros(places.get(i) - out.size()).bytes(filters.get(i).data);
    }
    return out.toArray();
  }
}
