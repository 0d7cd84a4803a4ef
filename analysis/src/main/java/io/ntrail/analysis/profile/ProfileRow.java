package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Row of a flat profile.
 *
 * @param process name of the process; null if rows are not by process, or it is unknown
 * @param pid its id; null if rows are not by process, or it is unknown
 * @param tid id of the thread; null if rows are not by thread, or it is unknown
 * @param cpu null if rows are not by CPU
 * @param subject the file or type; null if rows are not by it, or of events that have none
 * @param module null if rows are not by function or module
 * @param function null if rows are not by function, or it has no name
 * @param line null if rows are not by line, or it is unknown
 * @param rva where the function, or the range, begins in its module; -1 if it has no place there
 * @param self weight of stacks whose innermost frame it is
 * @param inclusive weight of stacks that it is in
 */
public record ProfileRow(
    @Nullable String process,
    @Nullable Integer pid,
    @Nullable Integer tid,
    @Nullable Integer cpu,
    @Nullable String subject,
    @Nullable String module,
    @Nullable String function,
    @Nullable SourceLine line,
    long rva,
    long self,
    long inclusive) {
  /** Creates a row of what is not told apart by what events are about. */
  public ProfileRow(
      @Nullable String process,
      @Nullable Integer pid,
      @Nullable Integer tid,
      @Nullable Integer cpu,
      @Nullable String module,
      @Nullable String function,
      @Nullable SourceLine line,
      long rva,
      long self,
      long inclusive) {
    this(process, pid, tid, cpu, null, module, function, line, rva, self, inclusive);
  }

  /** Creates a row of a file or a type; null of what has none. */
  public ProfileRow(@Nullable String subject, long weight) {
    this(null, null, null, null, subject, null, null, null, -1, weight, weight);
  }

  private static final Comparator<@Nullable String> NAMES =
      Comparator.nullsFirst(Comparator.naturalOrder());

  private static final Comparator<@Nullable Integer> NUMBERS =
      Comparator.nullsFirst(Comparator.naturalOrder());

  private static final Comparator<@Nullable SourceLine> LINES =
      Comparator.nullsFirst(ProfileRow::byLine);

  private static int byLine(SourceLine a, SourceLine b) {
    int byFile = a.file().compareTo(b.file());
    return byFile != 0 ? byFile : Integer.compare(a.line(), b.line());
  }

  private static int byPlace(ProfileRow a, ProfileRow b) {
    int byModule = NAMES.compare(a.module, b.module);
    int byRva = byModule != 0 ? byModule : Long.compare(a.rva, b.rva);
    int byName = byRva != 0 ? byRva : NAMES.compare(a.function, b.function);
    return byName != 0 ? byName : LINES.compare(a.line, b.line);
  }

  /** Written out: comparators that the library puts together are made anew at every start. */
  private static int byName(ProfileRow a, ProfileRow b) {
    int order = byPlace(a, b);
    order = order != 0 ? order : NAMES.compare(a.process, b.process);
    order = order != 0 ? order : NUMBERS.compare(a.pid, b.pid);
    order = order != 0 ? order : NUMBERS.compare(a.tid, b.tid);
    order = order != 0 ? order : NUMBERS.compare(a.cpu, b.cpu);
    return order != 0 ? order : NAMES.compare(a.subject, b.subject);
  }

  /** Returns the order of rows: heaviest first; equal ones by name, or by place in their module. */
  public static Comparator<ProfileRow> order(boolean bySelf) {
    return (a, b) -> {
      int first = bySelf ? Long.compare(b.self, a.self) : Long.compare(b.inclusive, a.inclusive);
      if (first != 0) {
        return first;
      }
      int second = bySelf ? Long.compare(b.inclusive, a.inclusive) : Long.compare(b.self, a.self);
      return second != 0 ? second : byName(a, b);
    };
  }

  /** Returns what the row is about, as people read it. */
  public String text() {
    String own = module;
    if (own != null) {
      return function != null
          ? own + "!" + function + (line == null ? "" : " " + line.text())
          : rva < 0 ? own : own + "+0x" + Long.toHexString(rva);
    }
    if (subject != null) {
      return subject;
    }
    if (cpu != null) {
      return "CPU " + cpu;
    }
    String name = process == null ? "(unknown)" : process;
    String whose = pid == null ? name : name + " (" + Integer.toUnsignedString(pid) + ")";
    return tid == null ? whose : whose + " thread " + Integer.toUnsignedString(tid);
  }
}
