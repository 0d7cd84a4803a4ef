package io.ntrail.live.plan;

/** Opens the symbols of a module's file to tests of other packages. */
public final class FileSymbols {
  private FileSymbols() {}

  /** Returns the symbols of the file. */
  public static PlanSymbols of(ModuleFile file) {
    return file.symbols();
  }
}
