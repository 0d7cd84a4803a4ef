package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Streams of real processors, and of programs that were single-stepped, against the lists of
 * addresses that Intel's library or the stepping gave: number and checksum, from the README beside
 * the data.
 */
class RecordedFlowTest {
  private static final Pattern NUMBERED = Pattern.compile("(\\d+).*");

  /** A stream whose list is known. */
  private record Recorded(
      String stream, long instructions, int errors, String hash, String model) {}

  /** Addresses that came out. */
  private static final class Addresses implements FlowSink {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final MessageDigest digest;
    private final List<String> errors = new ArrayList<>();
    private byte[] lines = new byte[1 << 13];
    private long count;

    Addresses() throws NoSuchAlgorithmException {
      digest = MessageDigest.getInstance("SHA-256");
    }

    @Override
    public void instructions(CodeBlocks blocks, int block, int instructions, boolean speculative) {
      long address = blocks.start(block);
      int at = 0;
      for (int i = 0; i < instructions; i++) {
        for (int shift = 60; shift >= 0; shift -= 4) {
          lines[at++] = HEX[(int) (address >>> shift) & 15];
        }
        lines[at++] = '\n';
        address += blocks.length(block, i);
      }
      digest.update(lines, 0, at);
      count += instructions;
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      // No instruction.
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      errors.add(error + "@" + Long.toHexString(offset));
    }
  }

  /** Reads the table "Streams"; perl's four streams share a row. */
  private static List<Recorded> recorded() throws IOException {
    List<Recorded> found = new ArrayList<>();
    for (String line : Files.readAllLines(TestData.file("pt/README.md"))) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 8 && cells[4].trim().matches("[0-9a-f]{64}|as xdc/.*")) {
        Matcher errors = NUMBERED.matcher(cells[3].trim());
        assertTrue(errors.matches(), line);
        for (String stream : streams(cells[1])) {
          found.add(
              new Recorded(
                  stream,
                  Long.parseLong(cells[2].trim()),
                  Integer.parseInt(errors.group(1)),
                  cells[4].trim(),
                  cells[5].trim()));
        }
      }
    }
    Map<String, String> hashes = new HashMap<>();
    found.forEach(row -> hashes.put("as " + row.stream, row.hash));
    return found.stream()
        .map(row ->
            new Recorded(
                row.stream,
                row.instructions,
                row.errors,
                hashes.getOrDefault(row.hash, row.hash),
                row.model))
        .toList();
  }

  /** Returns the names in a cell: each ends with .pt or .trace, and may begin as the first one. */
  private static List<String> streams(String cell) {
    List<String> names = new ArrayList<>();
    Matcher matcher = Pattern.compile("[a-z0-9/-]+\\.(pt|trace)").matcher(cell);
    while (matcher.find()) {
      String name = matcher.group();
      if (name.startsWith("-")) {
        String first = names.getFirst();
        name = first.substring(0, first.indexOf('-')) + name;
      } else if (!name.contains("/")) {
        String first = names.getFirst();
        name = first.substring(0, first.indexOf('/') + 1) + name;
      }
      names.add(name);
    }
    return names;
  }

  private static Addresses follow(Recorded row, Resync resync)
      throws IOException, NoSuchAlgorithmException {
    Addresses addresses = new Addresses();
    RecordedStreams.follow(row.stream, row.model, resync, addresses);
    return addresses;
  }

  @Test
  void addressesAreThoseOfTheListsInNumberAndChecksum()
      throws IOException, NoSuchAlgorithmException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<Recorded> all = recorded();
    assertEquals(17, all.size());
    // The large ones take seconds; one of them stands for the others.
    List<Recorded> small = all.stream().filter(row -> row.instructions < 2_000_000).toList();
    List<Recorded> chosen = new ArrayList<>(small);
    chosen.addAll(Slice.of(all.stream().filter(row -> !small.contains(row)).toList(), 9));
    for (Recorded row : chosen) {
      Addresses found = follow(row, Resync.PSB);
      assertEquals(row.instructions, found.count, row.stream);
      assertEquals(row.hash, HexFormat.of().formatHex(found.digest.digest()), row.stream);
      // dyn: the newer library, which the README names too, reports two more of the same kind.
      int errors = row.stream.equals("xdc/dyn.pt") ? 14 : row.errors;
      assertEquals(errors, found.errors.size(), row.stream + " " + found.errors);
    }
  }

  @Test
  void goingOnAtTheNextAddressLosesLess() throws IOException, NoSuchAlgorithmException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Recorded row : recorded()) {
      if (row.stream.equals("xdc/dyn.pt") || row.stream.equals("lldb/multicore-51.trace")) {
        Addresses found = follow(row, Resync.EVENT);
        assertTrue(found.count >= row.instructions, row.stream + ": " + found.count);
      }
    }
  }
}
