package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.List;

/** Every recording small enough for its tables to be worked out by hand, with these tables. */
public final class HandTables {
  private final List<HandTable> tables = new ArrayList<>();

  HandTables() {}

  /** All tables. */
  public static List<HandTable> all() {
    HandTables made = new HandTables();
    WaitTables.add(made);
    TransferTables.add(made);
    SampleTables.add(made);
    AllocationTables.add(made);
    StackTables.add(made);
    ItemTables.add(made);
    NameTables.add(made);
    return List.copyOf(made.tables);
  }

  /** Adds the answer to a question about a recording. */
  void add(String name, Activity recording, ProfileQuery query, ProfileTable expected) {
    tables.add(new HandTable(name, recording.writer(), query, expected));
  }

  /** An address in the kernel of {@link Activity#world}. */
  static long kernel(long offset) {
    return Activity.KERNEL + offset;
  }

  /** An address in app.exe of process 100 and in svc.exe of process 200. */
  static long app(long offset) {
    return Activity.APP + offset;
  }

  /** An address in ntdll.dll of both processes. */
  static long ntdll(long offset) {
    return Activity.NTDLL + offset;
  }
}
