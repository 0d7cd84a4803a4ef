package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The stack of a kernel that stopped in amdppm.sys, as another tool walked it with the images of
 * the kernel and all drivers; here are those of two drivers.
 */
class KernelStackTest {
  private static final long FAULT_CONTEXT = 0xFFFF_8504_2989_1720L;
  private static final int FIRST = 8;
  private static final int LAST = 24;
  private static final Pattern FRAME =
      Pattern.compile("(\\d+) +0x([0-9a-f]+) +sp: 0x([0-9a-f]+) .*");

  @Test
  void framesWhoseImagesAreAtHandAreThoseOfAnotherTool() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<StackFrame> frames = walk().frames();
    List<String> expected = expected();
    List<String> found = new ArrayList<>();
    for (StackFrame frame : frames.subList(0, LAST + 1 - FIRST)) {
      found.add("%x %x".formatted(frame.ip(), frame.sp()));
    }
    assertEquals(expected.subList(FIRST, LAST + 1), found);
    assertEquals(FrameTrust.CONTEXT, frames.getFirst().trust());
    frames.subList(1, LAST + 1 - FIRST).forEach(f -> assertEquals(FrameTrust.UNWIND, f.trust()));
  }

  @Test
  void framesWithoutAnImageAreAmongTheGuessesAndSaidToBeSome() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    StackWalk walk = walk();
    List<String> guessed = new ArrayList<>();
    for (StackFrame frame : walk.frames().subList(LAST + 1 - FIRST, walk.frames().size())) {
      assertEquals(FrameTrust.SCAN, frame.trust());
      guessed.add("%x %x".formatted(frame.ip(), frame.sp()));
    }
    // All up to the last one, whose return address is 0; and words that others have left there.
    List<String> ofTheKernel = new ArrayList<>(expected().subList(LAST + 1, 36));
    ofTheKernel.removeAll(guessed);
    assertEquals(List.of(), ofTheKernel);
    assertEquals(StackWalk.End.UNKNOWN_CODE, walk.end());
    assertTrue(walk.why().contains("ntoskrnl.exe, whose unwind data are not at hand"), walk.why());
  }

  private static StackWalk walk() throws IOException {
    TriageDump dump = new TriageDump(TestData.gunzip("dumps/kernel/triage_x64.dmp.gz"));
    List<LoadedModule> modules = new ArrayList<>();
    for (TriageDump.Driver driver : dump.drivers()) {
      Optional<PeImage> image =
          driver.name().equals("amdppm.sys") || driver.name().equals("Wdf01000.sys")
              ? Optional.of(image(driver.name()))
              : Optional.empty();
      modules.add(new LoadedModule(driver.name(), driver.base(), driver.size(), image));
    }
    AddressSpace memory = dump.memory();
    VirtualUnwinder unwinder = new VirtualUnwinder(memory, LoadedModules.of(modules));
    return new StackWalker(unwinder).walk(dump.context(FAULT_CONTEXT), memory);
  }

  private static PeImage image(String name) throws IOException {
    return PeImage.ofFile(InputFile.of(TestData.gunzip("pdb/win10/" + name + ".gz"), name));
  }

  /** Returns instruction pointer and stack pointer of each frame that the other tool prints. */
  private static List<String> expected() throws IOException {
    String text =
        new String(
            TestData.gunzip("dumps/kernel/triage_x64.expected.txt.gz"), StandardCharsets.UTF_8);
    List<String> frames = new ArrayList<>();
    for (String line : text.lines().toList()) {
      Matcher frame = FRAME.matcher(line);
      if (frame.matches()) {
        assertEquals(frames.size(), Integer.parseInt(frame.group(1)));
        frames.add(frame.group(2) + " " + frame.group(3));
      }
    }
    assertEquals(37, frames.size());
    return frames;
  }
}
