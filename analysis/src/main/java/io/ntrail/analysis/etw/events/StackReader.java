package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.CodeMap;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.programs.symbols.SymbolFrame;
import io.ntrail.programs.symbols.SymbolizedAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The stacks of events that a walk comes to, each of one thread. One thread at a time. */
final class StackReader implements AutoCloseable {
  /** Processes whose addresses are followed, about 500 bytes each and what lies in them. */
  private static final int MOST_PROCESSES = 1 << 12;

  private final EtwRecording recording;
  private final Machine machine;
  private final StackRecords stacks;
  private final @Nullable RecordingSymbols symbols;
  private final StackAssembler whole;
  private final StackRecords.Walk walk;
  private final StackAddresses frames = new StackAddresses();
  private final Set<Integer> processes = new HashSet<>();
  private @Nullable CodeMap spaces;
  private boolean taken;
  private boolean has;
  private boolean finished;

  /**
   * @param symbols names functions of images; null for no names
   * @param another makes a cursor that begins where the walk begins
   */
  StackReader(
      EtwRecording recording,
      Machine machine,
      StackRecords stacks,
      @Nullable RecordingSymbols symbols,
      Supplier<OrderedCursor> another) {
    this.symbols = symbols;
    this.recording = recording;
    this.machine = machine;
    this.stacks = stacks;
    this.whole = new StackAssembler(stacks, another);
    this.walk = whole.records();
  }

  /** Goes to the cursor's next record; all must come. */
  void moveTo(OrderedCursor cursor) {
    whole.moveTo(cursor);
    taken = false;
  }

  /** Returns true if the current event has a stack. */
  boolean has(EventReader event) {
    if (!event.record().kind().isEvent()) {
      return walk.found();
    }
    take(event);
    return has;
  }

  private void take(EventReader event) {
    if (!taken) {
      taken = true;
      has = whole.take(event.record(), event.key(), event.threadId(), frames);
    }
  }

  /** The frames of the current event, innermost first; none if it has no stack. */
  List<StackFrame> frames(EventReader event) {
    take(event);
    return frames.count() == 0 ? List.of() : resolve(event.processOf(whole.thread()), event.key());
  }

  private CodeMap spaces(int process) {
    CodeMap known = spaces;
    processes.add(process);
    if (known == null || processes.size() > MOST_PROCESSES) {
      known = new CodeMap(machine.images(), machine.methods(), recording::isKernel);
      spaces = known;
      processes.clear();
      processes.add(process);
    }
    return known;
  }

  private List<StackFrame> resolve(int process, long key) {
    CodeMap.Space space = spaces(process).space(process);
    space.moveTo(key);
    List<StackFrame> resolved = new ArrayList<>(frames.count());
    for (int i = 0; i < frames.count(); i++) {
      long address = frames.address(i);
      if (!space.find(address)) {
        resolved.add(StackFrame.of(address, null, -1, null));
        continue;
      }
      ImageFile image = space.image();
      if (image == null) {
        resolved.add(StackFrame.of(address, StackFrame.JITTED, -1, space.method()));
      } else if (!named(address, image, space, frames.isReturn(i, recording::isKernel), resolved)) {
        resolved.add(StackFrame.of(address, image.name(), space.rva(), space.method()));
      }
    }
    return resolved;
  }

  /** Adds the function at an address, after those that were inlined there; whether there is one. */
  private boolean named(
      long address, ImageFile image, CodeMap.Space space, boolean isReturn, List<StackFrame> to) {
    Optional<SymbolizedAddress> symbol =
        symbols == null
            ? Optional.empty()
            : symbols.at(space.imageNumber(), space.codeRva(isReturn));
    if (symbol.isEmpty()) {
      return false;
    }
    for (SymbolFrame frame : symbol.get().frames()) {
      to.add(
          new StackFrame(
              address,
              image.name(),
              space.rva(),
              frame.function(),
              frame.file().isEmpty() ? null : frame.file(),
              frame.line(),
              frame.isInlined()));
    }
    return true;
  }

  /** Returns the statistics so far. */
  StackStatistics counts() {
    return new StackStatistics(
        walk.references(),
        finished ? walk.unmatched() : -1,
        walk.undefined(),
        walk.leftOut() + stacks.leftOut(),
        whole.joined(),
        whole.givenUp());
  }

  /** The walk has come to the end of the recording: the rest is unmatched. */
  void finish() {
    walk.finish();
    finished = true;
  }

  @Override
  public void close() {
    whole.close();
  }
}
