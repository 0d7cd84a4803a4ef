package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.ipt.PieceTable;
import io.ntrail.analysis.etw.ipt.TracePieces;
import io.ntrail.analysis.etw.machine.MachineCounts;
import io.ntrail.analysis.etw.machine.MachineSummary;
import io.ntrail.analysis.etw.machine.Sampling;
import io.ntrail.analysis.etw.machine.SystemConfiguration;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.EtwSummary;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyRows;
import io.ntrail.analysis.etw.stacks.StackJoin;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;

/**
 * Contents of a recording, from one pass over all records and another one over those buffers whose
 * events stack records name.
 *
 * @param summary records, times, CPUs and losses of each file
 * @param hardware the machine
 * @param sampling CPU samples
 * @param contents processes, threads, images
 * @param sources events by task or provider
 * @param pieces pieces of Processor Trace
 */
public record Overview(
    EtwSummary summary,
    SystemConfiguration hardware,
    Sampling sampling,
    MachineCounts contents,
    ProviderCounts sources,
    TracePieces pieces) {

  /** Part of the survey that the overview needs. */
  private static final class Pass implements SurveyRows<Pass> {
    final EtwSummary.Counting summary;
    final EventCounts.Counting counts;
    final MachineSummary facts;
    final PieceTable pieces;

    Pass(
        EtwSummary.Counting summary,
        EventCounts.Counting counts,
        MachineSummary facts,
        PieceTable pieces) {
      this.summary = summary;
      this.counts = counts;
      this.facts = facts;
      this.pieces = pieces;
      MachineSummary.ask(counts.rows);
      PieceTable.ask(counts.rows);
    }

    @Override
    public void visitSome(
        int fileNumber, RecordCursor record, RecordTable table, int from, int to) {
      counts.visitSome(fileNumber, record, table, from, to);
      RowsByUse rows = counts.rows;
      summary.visitListed(fileNumber, record, table, rows.others(), from, to);
      facts.visitSamples(record, table, rows.samples());
      visitFacts(fileNumber, record, table, rows.facts());
    }

    private void visitFacts(
        int fileNumber, RecordCursor record, RecordTable table, RowsByUse.Rows rows) {
      for (int i = 0; i < rows.count(); i++) {
        record.moveTo(table, rows.get(i));
        facts.visit(fileNumber, record);
        pieces.visit(fileNumber, record);
      }
    }

    @Override
    public Pass merge(Pass other) {
      other.summary.count(other.counts.rows);
      summary.merge(other.summary);
      counts.merge(other.counts);
      facts.merge(other.facts);
      pieces.merge(other.pieces);
      return this;
    }

    @Override
    public void settle() {
      summary.count(counts.rows);
      counts.settle();
      facts.settle();
      pieces.settle();
    }
  }

  /** Events that stack records name. */
  private static final class Stacks {
    /** A record stands for one sample; a batch has room for twenty. */
    static final int MOST_BUSY = 255;

    final EventTypeCounter counts = new EventTypeCounter();
    long busySamples;

    void add(StackJoin.Event event, int count, KernelEvents kernel) {
      counts.countStacks(counts.row(kernel, event.hook(), event.version()), count);
      busySamples += (long) event.amount() * count;
    }

    Stacks merge(Stacks other) {
      counts.merge(other.counts);
      busySamples += other.busySamples;
      return this;
    }
  }

  /** Reads all records. */
  public static Overview of(EtwRecording recording, int cores) {
    return of(recording, cores, new SchemaSources(UserSchemas.NONE));
  }

  /** Reads all records. */
  public static Overview of(EtwRecording recording, int cores, SchemaSources sources) {
    KernelEvents kernel = sources.kernel();
    StackJoin join =
        new StackJoin(
            recording,
            kernel,
            record -> (int) Math.min(Stacks.MOST_BUSY, Sampling.busy(record, kernel)));
    Pass pass =
        recording.survey(
            cores,
            () ->
                new Pass(
                    new EtwSummary.Counting(recording),
                    new EventCounts.Counting(recording, sources.index(), kernel, join),
                    new MachineSummary(recording, kernel, sources.kernelTable()),
                    new PieceTable(recording)));
    Stacks stacks =
        join.events(
            cores,
            Stacks::new,
            (found, event, count) -> found.add(event, count, kernel),
            Stacks::merge);
    EventCounts counts = EventCounts.of(recording, cores, pass.counts, stacks.counts, join);
    return new Overview(
        pass.summary.summary(recording),
        pass.facts.hardware(),
        pass.facts.sampling(stacks.busySamples),
        pass.facts.contents(),
        ProviderCounts.of(counts),
        TracePieces.of(recording, cores, pass.pieces, kernel, sources.kernelTable()));
  }
}
