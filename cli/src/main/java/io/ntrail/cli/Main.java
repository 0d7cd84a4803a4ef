package io.ntrail.cli;

/** The program: {@code ntrail COMMAND ...}. */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("--version")) {
      System.out.println("ntrail 0.1.0");
    }
  }
}
