package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.pdb.PdbSamples;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutedFunctionsTest {
  @TempDir Path folder;

  @Test
  void debug() throws IOException {
    for (String[] pair :
        new String[][] {
          {"sentry/crash.exe", "sentry/crash.pdb"},
          {"seh/x86/xcpt4.exe", "seh/x86/xcpt4.pdb"},
          {"mozilla/basic32.dll", "mozilla/basic32.pdb"}
        }) {
      PeImage image = PeImage.ofFile(InputFile.of(PdbSamples.bytes(pair[0]), pair[0]));
      PdbFile pdb = PdbFile.open(InputFile.of(PdbSamples.bytes(pair[1]), pair[1]));
      for (boolean withPdb : new boolean[] {true, false}) {
        UnicornMachine machine = UnicornMachine.in(folder, 32).orElseThrow();
        try (ExecutedCode code = new ExecutedCode(machine, image, pair[0])) {
          FrameDataTable data =
              withPdb
                  ? new PdbFrameData(Optional.of(pdb), Optional.of(image))
                  : FrameDataTable.NONE;
          int[] counts = new int[4];
          Map<String, Integer> wrong = new TreeMap<>();
          Set<Long> seen = new HashSet<>();
          List<Long> starts = new ArrayList<>();
          for (FrameData.Frame f : pdb.frameData().frames())
            if (f.isFunctionStart()) starts.add(f.begin());
          if (starts.size() > 400) {
            List<Long> s = new ArrayList<>();
            for (int i = 0; i < starts.size(); i += starts.size() / 300) s.add(starts.get(i));
            starts = s;
          }
          Map<String, Integer> ends = new TreeMap<>();
          for (long start : starts) {
            code.run(
                start,
                400,
                (registers, calls) -> {
                  long ip = registers.ip();
                  if (!code.image().contains(ip) || !seen.add(ip * 64 + calls.size())) return;
                  X86Walker walker =
                      new X86Walker(
                          code, code, m -> m == code.image() ? data : FrameDataTable.NONE);
                  StackWalk walk = walker.walk(registers, ExecutedCode.LIMITS);
                  counts[0]++;
                  String bad = "";
                  for (int i = 0; i < calls.size(); i++) {
                    if (i + 1 >= walk.frames().size()) {
                      bad = "short after " + i;
                      break;
                    }
                    StackFrame f = walk.frames().get(i + 1);
                    ExecutedCode.Call c = calls.get(i);
                    if (f.ip() != c.returnAddress() || f.sp() != c.sp()) {
                      bad = (i == 0 ? "first " : "later ") + f.trust();
                      if (i > 0)
                        bad +=
                            " at "
                                + Long.toHexString(walk.frames().get(i).ip() - code.image().base());
                      break;
                    }
                    for (int r : new int[] {3, 5, 6, 7})
                      if (f.registers().isKnown(r) && f.registers().get(r) != c.registers()[r]) {
                        counts[2]++;
                        bad = "reg " + r + " of " + i + " " + f.trust();
                        break;
                      }
                    if (!bad.isEmpty()) break;
                  }
                  if (bad.isEmpty()) counts[1]++;
                  else {
                    wrong.merge(bad.replaceAll(" at .*", ""), 1, Integer::sum);
                    if (counts[3]++ < 60)
                      System.err.printf(
                          "  %s %x (start %x) depth %d %s  %s%n",
                          pair[0],
                          ip - code.image().base(),
                          start,
                          calls.size(),
                          bad,
                          walk.frames().stream().map(DumpWalks::line).toList()
                              + " "
                              + walk.end()
                              + walk.why());
                  }
                });
            ends.merge("" + code.last.reason() + code.last.error(), 1, Integer::sum);
            if (counts[0] < 40)
              System.err.println("End " + code.last + Long.toHexString(code.last.ip()));
          }
          System.err.println(ends);
          System.err.printf(
              "%s pdb=%s functions %d steps %d right %d %s%n",
              pair[0], withPdb, starts.size(), counts[0], counts[1], wrong);
        }
      }
    }
  }
}
