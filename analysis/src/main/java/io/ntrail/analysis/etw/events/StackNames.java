package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.CodeMap;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.programs.symbols.SymbolizedAddress;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names for recorded stacks, which come in the order of their times. One thread at a time. */
final class StackNames {
  /** Processes whose addresses are followed, about 500 bytes each and what lies in them. */
  private static final int MOST_PROCESSES = 1 << 12;

  /** Images that are remembered, some hundred bytes each. */
  private static final int MOST_MODULES = 1 << 14;

  private final EtwRecording recording;
  private final Machine machine;
  private final @Nullable RecordingSymbols symbols;
  private final Set<Integer> processes = new HashSet<>();
  private final Set<StackModule> modules = new LinkedHashSet<>();
  private @Nullable CodeMap spaces;

  /**
   * @param symbols names functions of images; null for no names
   */
  StackNames(EtwRecording recording, Machine machine, @Nullable RecordingSymbols symbols) {
    this.recording = recording;
    this.machine = machine;
    this.symbols = symbols;
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

  /**
   * Returns the frames of a stack, innermost first.
   *
   * @param process whose addresses they are
   * @param key time of the stack; not before that of the call before
   */
  List<NamedFrame> resolve(int process, long key, StackAddresses frames) {
    CodeMap.Space space = spaces(process).space(process);
    space.moveTo(key);
    List<NamedFrame> resolved = new ArrayList<>(frames.count());
    for (int i = 0; i < frames.count(); i++) {
      NamedFrame frame = NamedFrame.of(FrameTrust.RECORDED, frames.address(i));
      if (!space.find(frame.ip())) {
        resolved.add(frame);
        continue;
      }
      ImageFile image = space.image();
      if (image == null) {
        resolved.add(frame.in(NamedFrame.JITTED, NamedFrame.UNKNOWN).named(space.method()));
      } else {
        note(image, space);
        NamedFrame placed = frame.in(image.name(), space.rva());
        if (!named(placed, space, frames.isReturn(i, recording::isKernel), resolved)) {
          resolved.add(placed.named(space.method()));
        }
      }
    }
    return resolved;
  }

  private void note(ImageFile image, CodeMap.Space space) {
    if (modules.size() < MOST_MODULES) {
      modules.add(
          new StackModule(
              image.name(),
              space.base(),
              image.size(),
              machine.images().pdb(space.imageNumber()),
              false));
    }
  }

  /** Returns the images of the frames so far, in the order in which they came. */
  List<StackModule> modules() {
    return List.copyOf(modules);
  }

  /** Adds the function at an address, after those that were inlined there; whether there is one. */
  private boolean named(
      NamedFrame frame, CodeMap.Space space, boolean isReturn, List<NamedFrame> to) {
    RecordingSymbols known = symbols;
    if (known == null) {
      return false;
    }
    long code = space.codeRva(isReturn);
    Optional<SymbolizedAddress> symbol = known.at(space.imageNumber(), code);
    symbol.ifPresent(found -> frame.addTo(to, found, space.rva() - code));
    return symbol.isPresent();
  }
}
