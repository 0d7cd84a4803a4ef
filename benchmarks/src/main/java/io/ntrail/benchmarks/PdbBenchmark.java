package io.ntrail.benchmarks;

import java.io.IOException;

/**
 * Measures queries of PDBs as whole processes, beside llvm's tools.
 *
 * <p>Arguments: the number of rounds, the path of {@code ntrail}, those of llvm-pdbutil and
 * llvm-symbolizer, a large image with its PDB beside it and an address in it, then a small one.
 */
public final class PdbBenchmark {
  private PdbBenchmark() {}

  /** Runs the rounds and prints a line a command. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    String ntrail = args[1];
    String pdbutil = args[2];
    String large = args[4].replaceFirst("\\.dll$", ".pdb");
    new ProcessTimer()
        .add("llvm-pdbutil dump --publics", pdbutil, "dump", "--publics", large)
        .add("ntrail symbols --publics", ntrail, "symbols", large, "--publics")
        .run(rounds);
    new ProcessTimer()
        .add("llvm-pdbutil dump -l", pdbutil, "dump", "-l", large)
        .add("ntrail symbols --lines", ntrail, "symbols", large, "--lines")
        .run(rounds);
    address(args, 4);
    address(args, 6);
  }

  private static void address(String[] args, int at) throws IOException, InterruptedException {
    String image = args[at];
    String address = args[at + 1];
    String name = image.substring(image.lastIndexOf('/') + 1);
    new ProcessTimer()
        .add("llvm-symbolizer, " + name, args[3], "--obj=" + image, "--relative-address", address)
        .add("ntrail symbols, " + name, args[1], "symbols", image, "--address", address)
        .run(Integer.parseInt(args[0]));
  }
}
