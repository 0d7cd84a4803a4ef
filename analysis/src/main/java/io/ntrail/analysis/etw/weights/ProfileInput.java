package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.StatusCodes;
import org.jspecify.annotations.Nullable;

/**
 * Survey of a recording for its profiles, made in one pass. Several can be made of it.
 *
 * @param recording the recording
 * @param kernel the kernel's events
 * @param machine processes, threads, images, methods
 * @param stacks where stacks are, and what their keys mean
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
    MetricInventory inventory,
    SchemaIndex schemas,
    StatusCodes codes,
    int cores) {
  private static final class Learned implements SurveyPart<Learned> {
    final Machine machine;
    final MetricInventory inventory;
    final StackRecords stacks;
    final @Nullable SchemaIndex schemas;
    final boolean files;

    Learned(
        Machine machine,
        MetricInventory inventory,
        StackRecords stacks,
        @Nullable SchemaIndex schemas,
        boolean files) {
      this.machine = machine;
      this.inventory = inventory;
      this.stacks = stacks;
      this.schemas = schemas;
      this.files = files;
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
      inventory.merge(other.inventory);
      if (schemas != null && other.schemas != null) {
        schemas.merge(other.schemas);
      }
      return this;
    }

    @Override
    public void settle() {
      machine.settle();
      inventory.settle();
      stacks.settle();
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
    return of(recording, sources, cores, named, subject, StackRecords.SLICE);
  }

  /** Surveys a recording; so many stack records are a slice of its time. */
  static ProfileInput of(
      EtwRecording recording,
      SchemaSources sources,
      int cores,
      boolean named,
      WeightSubject subject,
      int slice) {
    KernelEvents kernel = sources.kernel();
    StackRecords stacks = new StackRecords(recording, kernel, cores, slice);
    Learned learned =
        recording.survey(
            cores,
            () ->
                new Learned(
                    new Machine(recording, kernel, sources.kernelTable(), true),
                    new MetricInventory(recording, kernel),
                    stacks,
                    named ? sources.index() : null,
                    subject == WeightSubject.FILE));
    SchemaIndex schemas = learned.schemas == null ? sources.index() : learned.schemas;
    return new ProfileInput(
        recording,
        kernel,
        learned.machine,
        stacks,
        learned.inventory,
        schemas,
        sources.statusCodes(),
        cores);
  }
}
