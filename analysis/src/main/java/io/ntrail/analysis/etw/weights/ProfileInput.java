package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.etw.stacks.NotedSamples;
import io.ntrail.analysis.etw.stacks.ProviderStacks;
import io.ntrail.analysis.etw.stacks.SampleNotes;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.schema.StatusCodes;
import org.jspecify.annotations.Nullable;

/**
 * Survey of a recording for its profiles, made in one pass. Several can be made of it.
 *
 * @param recording the recording
 * @param kernel the kernel's events
 * @param machine processes, threads, images, methods
 * @param stacks where stacks are, and what their keys mean
 * @param samples samples of the timer with their stacks, if they were to be noted and could be
 * @param inventory what there is to make profiles of
 * @param schemas what events are called and where they name their owner; if names were not
 *     requested, only what the built-in tables have
 * @param codes names of codes
 * @param cores threads to use
 */
public record ProfileInput(
    EtwRecording recording,
    KernelEvents kernel,
    Machine machine,
    StackRecords stacks,
    NotedSamples samples,
    MetricInventory inventory,
    SchemaIndex schemas,
    StatusCodes codes,
    int cores) {
  private static final class Learned implements SurveyPart<Learned> {
    final Machine machine;
    final MetricInventory inventory;
    final StackRecords stacks;
    final SampleNotes samples;
    final @Nullable SchemaIndex schemas;
    final boolean files;
    final int cores;
    final RowsByUse rows = new RowsByUse();

    Learned(
        Machine machine,
        MetricInventory inventory,
        StackRecords stacks,
        SampleNotes samples,
        @Nullable SchemaIndex schemas,
        boolean files,
        int cores) {
      this.machine = machine;
      this.inventory = inventory;
      this.stacks = stacks;
      this.samples = samples;
      this.schemas = schemas;
      this.files = files;
      this.cores = cores;
      ask();
    }

    private void ask() {
      for (int type = 0; type < 1 << Byte.SIZE; type++) {
        rows.ask(rows.facts(), KernelEvent.hookId(KernelEvent.Group.PROCESS, type));
        rows.ask(rows.facts(), KernelEvent.hookId(KernelEvent.Group.THREAD, type));
        rows.ask(rows.facts(), KernelEvent.hookId(KernelEvent.Group.IMAGE, type));
        if (files) {
          rows.ask(rows.facts(), KernelEvent.hookId(KernelEvent.Group.FILEIO, type));
        }
      }
      inventory.ask(rows);
      StackRecords.ask(rows);
      SampleNotes.ask(rows);
    }

    @Override
    public void visitSome(
        int fileNumber, RecordCursor record, RecordTable table, int from, int to) {
      if (schemas != null) {
        SurveyPart.super.visitSome(fileNumber, record, table, from, to);
        return;
      }
      rows.list(fileNumber, table, from, to);
      samples.begin(fileNumber, record, table, from, to);
      visitFacts(fileNumber, record, table);
      visitDefinitions(fileNumber, record, table);
      visitSamples(fileNumber, record, table);
      visitOthers(fileNumber, record, table);
    }

    private void visitFacts(int fileNumber, RecordCursor record, RecordTable table) {
      RowsByUse.Rows facts = rows.facts();
      for (int i = 0; i < facts.count(); i++) {
        int row = facts.get(i);
        // Without a hook id it is among the others, too.
        if (table.isHook(row)) {
          record.moveTo(table, row);
          inventory.learn(record, table.hookId(row));
          if (isOfMachine(table.hookId(row))) {
            machine.visit(fileNumber, record);
          }
        }
      }
    }

    private boolean isOfMachine(int hook) {
      return switch (KernelEvent.group(hook)) {
        case KernelEvent.Group.PROCESS, KernelEvent.Group.THREAD, KernelEvent.Group.IMAGE -> true;
        case KernelEvent.Group.FILEIO -> files;
        default -> false;
      };
    }

    private void visitDefinitions(int fileNumber, RecordCursor record, RecordTable table) {
      RowsByUse.Rows definitions = rows.stacks();
      for (int i = 0; i < definitions.count(); i++) {
        int row = definitions.get(i);
        if (table.isHook(row)) {
          record.moveTo(table, row);
          stacks.visit(fileNumber, record);
        }
      }
    }

    private void visitSamples(int fileNumber, RecordCursor record, RecordTable table) {
      RowsByUse.Rows listed = rows.samples();
      for (int i = 0; i < listed.count(); i++) {
        int row = listed.get(i);
        if (KernelEvent.group(table.hookId(row)) == KernelEvent.Group.STACKWALK) {
          stacks.visit(fileNumber, record, table, row);
        }
        samples.visit(record, table, row);
      }
    }

    private void visitOthers(int fileNumber, RecordCursor record, RecordTable table) {
      RowsByUse.Rows others = rows.others();
      for (int i = 0; i < others.count(); i++) {
        int row = others.get(i);
        // With a hook id it is in the lists that were asked for.
        if (table.isHook(row)) {
          continue;
        }
        record.moveTo(table, row);
        // Of other events only those of the CLR tell of methods and allocations.
        if (!(table.isEvent(row) && ProviderStacks.isOfNoStack(record))) {
          machine.visit(fileNumber, record);
          inventory.visit(fileNumber, record);
          stacks.visit(fileNumber, record);
          samples.other(record);
        }
      }
    }

    @Override
    public void visit(int fileNumber, RecordCursor record) {
      if (record.kind().isHook()) {
        int hook = record.hookId();
        inventory.visit(record, hook);
        // Most records are of groups of no further use.
        switch (hook >>> 8) {
          case KernelEvent.Group.PROCESS, KernelEvent.Group.THREAD, KernelEvent.Group.IMAGE ->
              machine.visit(fileNumber, record);
          case KernelEvent.Group.STACKWALK -> stacks.visit(fileNumber, record);
          case KernelEvent.Group.FILEIO -> {
            if (files) {
              machine.visit(fileNumber, record);
            }
          }
          default -> {
            // Counted.
          }
        }
      } else {
        machine.visit(fileNumber, record);
        inventory.visit(fileNumber, record);
        stacks.visit(fileNumber, record);
      }
      if (schemas != null) {
        schemas.visit(fileNumber, record);
      }
    }

    @Override
    public Learned merge(Learned other) {
      machine.merge(other.machine);
      other.inventory.count(other.rows);
      inventory.merge(other.inventory);
      other.samples.settle();
      if (schemas != null && other.schemas != null) {
        schemas.merge(other.schemas);
      }
      return this;
    }

    @Override
    public void settle() {
      // Stack keys know nothing of the rest.
      ParallelTasks.run(
          cores,
          2,
          () -> this,
          (_, half) -> {
            if (half == 0) {
              stacks.settle();
            } else {
              settleRest();
            }
          },
          (all, _) -> all);
    }

    private void settleRest() {
      machine.settle();
      inventory.count(rows);
      inventory.settle();
      samples.settle();
      if (schemas != null) {
        schemas.settle();
      }
    }
  }

  /**
   * Surveys a recording.
   *
   * @param named whether events will be selected by name
   */
  public static ProfileInput of(
      EtwRecording recording, SchemaSources sources, int cores, boolean named) {
    return of(recording, sources, cores, named, WeightSubject.NONE);
  }

  /**
   * Surveys a recording.
   *
   * @param named whether events will be selected by name
   * @param subject what weights will be told apart by
   */
  public static ProfileInput of(
      EtwRecording recording,
      SchemaSources sources,
      int cores,
      boolean named,
      WeightSubject subject) {
    return of(
        recording, sources, cores, named, subject, NotedSamples.Wanted.NONE, StackRecords.SLICE);
  }

  /**
   * Surveys a recording for profiles of one kind.
   *
   * @param source what will be added up
   * @param unit in which
   * @param scope of which part of the recording
   * @param subject what weights will be told apart by
   */
  public static ProfileInput of(
      EtwRecording recording,
      SchemaSources sources,
      int cores,
      WeightSource source,
      WeightUnit unit,
      ProfileScope scope,
      WeightSubject subject) {
    boolean named = !scope.events().isEmpty();
    NotedSamples.Wanted samples = samples(source, unit, scope);
    return of(recording, sources, cores, named, subject, samples, StackRecords.SLICE);
  }

  /** Returns which samples are to be noted. */
  private static NotedSamples.Wanted samples(
      WeightSource source, WeightUnit unit, ProfileScope scope) {
    if (!source.equals(CpuSamples.TIMER)) {
      return NotedSamples.Wanted.NONE;
    }
    boolean areIdleCounted =
        unit == WeightUnit.SAMPLES
            && !scope.idle()
            && scope.processes().isEmpty()
            && scope.threads().isEmpty();
    return areIdleCounted ? NotedSamples.Wanted.BUSY : NotedSamples.Wanted.ALL;
  }

  /**
   * Surveys a recording.
   *
   * @param noted which samples of the timer to note
   * @param slice stack records, or noted samples, of a slice of its time
   */
  static ProfileInput of(
      EtwRecording recording,
      SchemaSources sources,
      int cores,
      boolean named,
      WeightSubject subject,
      NotedSamples.Wanted noted,
      int slice) {
    KernelEvents kernel = sources.kernel();
    StackRecords stacks = new StackRecords(recording, kernel, cores, slice);
    NotedSamples samples =
        new NotedSamples(recording, kernel, named ? NotedSamples.Wanted.NONE : noted, slice);
    Learned learned =
        recording.survey(
            cores,
            () ->
                new Learned(
                    new Machine(recording, kernel, sources.kernelTable(), true),
                    new MetricInventory(recording, kernel),
                    stacks,
                    samples.notes(),
                    named ? sources.index() : null,
                    subject == WeightSubject.FILE,
                    cores));
    SchemaIndex schemas = learned.schemas == null ? sources.index() : learned.schemas;
    return new ProfileInput(
        recording,
        kernel,
        learned.machine,
        stacks,
        samples,
        learned.inventory,
        schemas,
        sources.statusCodes(),
        cores);
  }
}
