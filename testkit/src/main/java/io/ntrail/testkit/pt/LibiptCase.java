package io.ntrail.testkit.pt;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * One of the cases that libipt is tested with: a stream, its code, and what a decoder prints.
 *
 * @param name its own
 * @param processors family and model of each, decimal; none: no errata
 * @param address of the code
 * @param bits of the code until a packet tells them
 * @param code the bytes; may be none
 * @param stream the packets
 * @param dumpOptions of the list of packets
 * @param options of the decoder of flow
 * @param dump lines that are expected of a list of packets
 * @param flow lines that are expected of the flow
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LibiptCase(
    String name,
    List<String> processors,
    long address,
    int bits,
    byte[] code,
    byte[] stream,
    List<String> dumpOptions,
    List<String> options,
    List<String> dump,
    List<String> flow) {
  /** Reads all cases of the shared file. */
  public static List<LibiptCase> all() throws IOException {
    String text = new String(TestData.gunzip("pt/cases-libipt.txt.gz"), StandardCharsets.UTF_8);
    return Arrays.stream(text.split("(?m)^end$", -1))
        .filter(one -> one.contains("case "))
        .map(LibiptCase::of)
        .toList();
  }

  private static LibiptCase of(String text) {
    String name = "";
    List<String> processors = List.of();
    long address = 0;
    int bits = 64;
    byte[] code = {};
    byte[] stream = {};
    List<String> dumpOptions = List.of();
    List<String> options = List.of();
    List<String> dump = new ArrayList<>();
    List<String> flow = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (String line : text.strip().lines().toList()) {
      String[] words = line.strip().split(" +", -1);
      if (line.startsWith(" ")) {
        lines.add(line.strip());
        continue;
      }
      List<String> rest = List.of(words).subList(1, words.length);
      switch (words[0]) {
        case "case" -> name = words[1];
        case "cpu" -> processors = rest;
        case "org" -> {
          address = Long.decode(words[1]);
          bits = Integer.parseInt(words[3]);
        }
        case "code" -> code = code(words[1]);
        case "pt" -> stream = words.length < 2 ? stream : code(words[1]);
        case "dumpopt" -> dumpOptions = rest;
        case "flowopt" -> options = rest;
        case "dump:" -> lines = dump;
        case "flow:" -> lines = flow;
        default -> {
          // Nothing that is needed.
        }
      }
    }
    return new LibiptCase(
        name, processors, address, bits, code, stream, dumpOptions, options, dump, flow);
  }

  private static byte[] code(String word) {
    if (word.equals("-")) {
      return new byte[0];
    }
    String[] parts = word.split("x", -1);
    byte[] one = HexFormat.of().parseHex(parts[0]);
    if (parts.length == 1) {
      return one;
    }
    byte[] many = new byte[Integer.parseInt(parts[1])];
    Arrays.fill(many, one[0]);
    return many;
  }
}
