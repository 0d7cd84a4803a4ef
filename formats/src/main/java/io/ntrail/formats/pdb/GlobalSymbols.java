package io.ntrail.formats.pdb;

import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.List;

/**
 * The global symbols: references to procedures of modules, data, constants and names of types, with
 * a hash by name.
 */
public final class GlobalSymbols {
  private final SymbolHash hash;

  private GlobalSymbols(SymbolHash hash) {
    this.hash = hash;
  }

  static GlobalSymbols read(MsfStream stream, MsfStream symbols, boolean minimal) {
    return new GlobalSymbols(SymbolHash.read(stream, symbols, minimal));
  }

  /** Returns the number of symbols. */
  public int count() {
    return hash.count();
  }

  /** One by its place in the hash, from 0. */
  public Symbol get(int index) {
    return hash.get(index);
  }

  /** Returns the symbols with exactly this name. */
  public List<Symbol> named(String name) {
    return hash.bucket(name).stream().filter(symbol -> name(symbol).equals(name)).toList();
  }

  /** The name of a symbol; empty if it has none. */
  public static String name(Symbol symbol) {
    return switch (symbol) {
      case Symbol.Placed placed -> placed.name();
      case Symbol.Reference reference -> reference.name();
      case Symbol.Udt udt -> udt.name();
      case Symbol.Constant constant -> constant.name();
      case Symbol.Variable variable -> variable.name();
      default -> "";
    };
  }
}
