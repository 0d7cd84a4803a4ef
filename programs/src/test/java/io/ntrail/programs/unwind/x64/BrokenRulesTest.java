package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindOperation;
import io.ntrail.programs.unwind.x64.CodeProof.Convention;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The proof of {@link CodeProof} with wrong rules: each operation of unwind data is changed in
 * turn, in one function, to another operation or another operand. The code stays as it is, so the
 * proof has to notice.
 */
class BrokenRulesTest {
  private static final int FUNCTIONS_EACH = 6;

  @TempDir Path folder;

  private static PeImage image(byte[] content) {
    return PeImage.ofFile(InputFile.of(content, "kernel32.dll"));
  }

  /** Returns true if the proof finds no difference in a function. */
  private static boolean holds(UnicornMachine processor, byte[] content, RuntimeFunction function)
      throws IOException {
    CodeProof.Coverage coverage = new CodeProof.Coverage();
    try (CodeProof proof = new CodeProof(processor, image(content), Convention.WINDOWS, coverage)) {
      proof.prove(function);
      return proof.failures().isEmpty() && coverage.undecided == 0;
    }
  }

  /** Place of an operation's byte in the file: code and operand are its low and high half. */
  private record Mutation(RuntimeFunction function, UnwindOperation operation, int at) {}

  private static List<Mutation> mutations(PeImage image) {
    Map<UnwindOperation, List<Mutation>> found = new EnumMap<>(UnwindOperation.class);
    FunctionTable table = FunctionTable.of(image);
    for (RuntimeFunction function : table.entries()) {
      UnwindChain chain = table.chain(function);
      if (chain.depth() > 0 || chain.info().version() != 1 || function.size() > 2000) {
        continue;
      }
      int slot = 0;
      for (UnwindCode code : chain.info().prologCodes()) {
        List<Mutation> some = found.computeIfAbsent(code.operation(), _ -> new ArrayList<>());
        boolean isNew = some.isEmpty() || !some.getLast().function.equals(function);
        if (some.size() < FUNCTIONS_EACH && isNew) {
          long at = image.view().offset(chain.info().rva() + 4 + 2L * slot + 1);
          some.add(new Mutation(function, code.operation(), (int) at));
        }
        slot += slots(image, chain.info().rva() + 4 + 2L * slot + 1);
      }
    }
    List<Mutation> all = new ArrayList<>();
    found.values().forEach(all::addAll);
    return all;
  }

  private static int slots(PeImage image, long at) {
    int operation = image.view().u8(at) & 0xF;
    boolean isLong = operation == 1 && image.view().u8(at) >> 4 == 1;
    return switch (operation) {
      case 1 -> isLong ? 3 : 2;
      case 4, 8 -> 2;
      case 5, 9 -> 3;
      default -> 1;
    };
  }

  /** Returns the image with one operation that says something else. */
  private static byte[] broken(byte[] sound, int at) {
    byte[] broken = sound.clone();
    switch (sound[at] & 0xF) {
      // Saved in another place.
      case 4, 8 -> broken[at + 1] ^= 1;
      // No frame register.
      case 3 -> broken[at] ^= 1;
      // Another register, another size.
      default -> broken[at] ^= 0x10;
    }
    return broken;
  }

  @ParameterizedTest
  @CsvSource({
    "pe/windows/kernel32.dll.gz, 29",
    "pe/toolchains/nativeaot-net70-x64.exe.gz, 12",
  })
  void theProofFailsWhereAnyOperationIsWrong(String name, int least) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 64);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    byte[] sound = TestData.gunzip(name);
    List<Mutation> mutations = mutations(image(sound));
    Map<UnwindOperation, Integer> noticed = new EnumMap<>(UnwindOperation.class);
    List<String> missed = new ArrayList<>();
    int all = 0;
    try (UnicornMachine processor = machine.get()) {
      for (Mutation mutation : mutations) {
        if (!holds(processor, sound, mutation.function)) {
          continue;
        }
        all++;
        byte[] broken = broken(sound, mutation.at);
        if (holds(processor, broken, mutation.function)) {
          missed.add(mutation.toString());
        } else {
          noticed.merge(mutation.operation, 1, Integer::sum);
        }
      }
    }
    assertEquals(List.of(), missed, noticed.toString());
    assertTrue(all >= least, noticed.toString());
  }
}
