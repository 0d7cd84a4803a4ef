package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.List;

/** Every recording small enough for its tables to be worked out by hand, with these tables. */
public final class WorkedExamples {
  private final List<WorkedExample> tables = new ArrayList<>();

  WorkedExamples() {}

  /** All tables. */
  public static List<WorkedExample> all() {
    WorkedExamples made = new WorkedExamples();
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
  void add(String name, RecordingBuilder recording, ProfileQuery query, ProfileTable expected) {
    tables.add(new WorkedExample(name, recording.writer(), query, expected));
  }

  /** An address in the kernel of {@link RecordingBuilder#world}. */
  static long kernel(long offset) {
    return RecordingBuilder.KERNEL + offset;
  }

  /** An address in app.exe of process 100 and in svc.exe of process 200. */
  static long app(long offset) {
    return RecordingBuilder.APP + offset;
  }

  /** An address in ntdll.dll of both processes. */
  static long ntdll(long offset) {
    return RecordingBuilder.NTDLL + offset;
  }
}
