package io.ntrail.live.code.x64;

import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Context that all routines of a runtime block share: the assembler, the ranges of their unwind
 * data, and addresses in the target.
 *
 * @param assembler where all of them are written
 * @param ranges stretches of code and what is pushed there, in any order
 * @param block where the runtime block begins
 * @param control where the target has the session file mapped
 * @param chunks how many the file may have
 * @param words TLS slots
 * @param records size and content of records
 * @param tables where calls are added up in place of records
 * @param samples where stacks are copied to
 * @param query address of NtQueryVirtualMemory, where memory is copied
 */
record RoutineContext(
    Assembler assembler,
    List<Range> ranges,
    long block,
    long control,
    int chunks,
    TlsOffsets words,
    RecordLayout records,
    CallTables tables,
    SamplePlaces samples,
    long query) {
  /**
   * Range of code with its unwind data.
   *
   * @param handler of exceptions there; null: there is none
   */
  record Range(Label begin, Label end, UnwindBytes info, @Nullable Label handler) {}

  /** Returns an empty context. */
  static RoutineContext of(
      long block,
      long control,
      int chunks,
      TlsOffsets words,
      RecordLayout records,
      CallTables tables,
      SamplePlaces samples,
      long query) {
    return new RoutineContext(
        Assembler.x64(),
        new ArrayList<>(),
        block,
        control,
        chunks,
        words,
        records,
        tables,
        samples,
        query);
  }

  /** Returns the bytes of a record. */
  int record() {
    return records.bytes();
  }

  /** Returns the bytes of a record as slots write it; 0: they add up in tables instead. */
  int slotRecord() {
    return tables.exist() ? 0 : record();
  }

  /** Adds a range of code. */
  void add(Label begin, Label end, UnwindBytes info) {
    ranges.add(new Range(begin, end, info, null));
  }

  /** Adds a range of code with a handler of exceptions, which has the flag for it in its data. */
  void addGuarded(Label begin, Label end, UnwindBytes info, Label handler) {
    ranges.add(new Range(begin, end, info, handler));
  }

  /** Returns the function table of the code. */
  FunctionTableBuilder functions(AssembledCode code) {
    FunctionTableBuilder table = new FunctionTableBuilder();
    ranges.stream()
        .sorted((a, b) -> Integer.compare(code.offset(a.begin), code.offset(b.begin)))
        .forEach(range -> {
          int begin = code.offset(range.begin);
          int end = code.offset(range.end);
          Label handler = range.handler;
          if (end > begin && handler != null) {
            table.addGuarded(begin, end, range.info, code.offset(handler));
          } else if (end > begin) {
            table.add(begin, end, range.info);
          }
        });
    return table;
  }
}
