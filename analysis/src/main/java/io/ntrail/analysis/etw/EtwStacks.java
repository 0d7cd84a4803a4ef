package io.ntrail.analysis.etw;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.StacksAtTime;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of an ETW recording at a time, with names: a survey, a pass up to that time, names for
 * the images of the stacks.
 */
public final class EtwStacks implements AutoCloseable {
  /**
   * Stack of a thread.
   *
   * @param event that has it
   * @param frames innermost first
   */
  public record Stack(StacksAtTime.Found event, List<NamedFrame> frames) {
    /** Copies the list. */
    public Stack {
      frames = List.copyOf(frames);
    }
  }

  /**
   * Stacks of a time.
   *
   * @param stacks by CPU, or of threads the last ones first
   * @param modules images that they lie in
   */
  public record Answer(List<Stack> stacks, List<StackModule> modules) {
    /** Copies the lists. */
    public Answer {
      stacks = List.copyOf(stacks);
      modules = List.copyOf(modules);
    }
  }

  private final Events events;
  private final StacksAtTime stacks;
  private final RecordingSymbols symbols;

  private EtwStacks(Events events, StacksAtTime stacks, RecordingSymbols symbols) {
    this.events = events;
    this.stacks = stacks;
    this.symbols = symbols;
  }

  /**
   * Finds the stacks.
   *
   * @param pdbs where PDBs are looked for
   * @param images where images are looked for whose PDB is not found
   * @param cores threads to use
   */
  public static EtwStacks of(
      EtwRecording recording,
      StacksAtTime.Query query,
      PdbSearch pdbs,
      SymbolStores images,
      int cores) {
    Events events =
        Events.of(recording, new SchemaSources(UserSchemas.NONE), cores, Events.Learn.ADDRESSES);
    StacksAtTime stacks = StacksAtTime.of(events, query);
    return new EtwStacks(
        events, stacks, new RecordingSymbols(events.machine().images(), pdbs, images));
  }

  /** Returns the numbers of the images that the stacks lie in, those with the most frames first. */
  public List<Integer> images() {
    return HotImages.of(events.machine().images(), stacks.named(null).frames());
  }

  /**
   * Looks for the PDBs of all images of the stacks at once, and downloads them if the search path
   * names servers. Without this call each is looked for when its first address is named.
   *
   * @param wait how long servers may take; null: until all have answered
   */
  public void fetchNames(@Nullable Duration wait) {
    symbols.prepare(images(), wait);
  }

  /** Returns the stacks, and the images that they lie in. */
  public Answer answer() {
    List<StacksAtTime.Found> found = stacks.found();
    StacksAtTime.Named named = stacks.named(symbols);
    List<Stack> answer = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      answer.add(new Stack(found.get(i), named.frames().get(i)));
    }
    return new Answer(answer, named.modules());
  }

  /** Returns the search's remarks, and its losses. */
  public StacksAtTime search() {
    return stacks;
  }

  /** Returns the events that the stacks were looked for among. */
  public Events events() {
    return events;
  }

  /** Returns the names, where they come from, and what could not be found. */
  public RecordingSymbols symbols() {
    return symbols;
  }

  @Override
  public void close() {
    symbols.close();
  }
}
