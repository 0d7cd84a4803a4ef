package io.ntrail.programs.symbols;

import io.ntrail.formats.decoration.CallConvention;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.identity.CallPrototype.Convention;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.PublicSymbols;
import io.ntrail.formats.pdb.codeview.FunctionType;
import io.ntrail.formats.pdb.codeview.FunctionType.Kind;
import io.ntrail.formats.pdb.codeview.FunctionType.Value;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pe.CoffSymbols;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Prototypes of 32-bit functions, by the symbols of a PDB or a COFF symbol table. Rules:
 * Microsoft's documentation of {@code __cdecl}, {@code __stdcall}, {@code __fastcall}, {@code
 * __thiscall} and {@code __vectorcall}.
 */
public final class Prototypes {
  /** Numbers of ecx, edx, the first word of the stack and xmm0 among places (docs/ntr.md). */
  private static final int ECX = 5;

  private static final int EDX = 6;
  private static final int STACK = 17;
  private static final int XMM = 64;

  /** Flag of a procedure that is called in a way of its own (CV_PFLAG_CUST_CALL of cvinfo.h). */
  private static final int CUSTOM_CALL = 0x20;

  private static final int MOST_PLACES = 32;
  private static final int MOST_XMM = 6;
  private static final int WIDE = 8;

  private static final CallPrototype NONE =
      new CallPrototype(Convention.CDECL, List.of(), false, false);

  private final Convention convention;
  private final List<Integer> places = new ArrayList<>();
  private int registers;
  private int words;
  private int vectors;
  private boolean isIncomplete;

  private Prototypes(Convention convention) {
    this.convention = convention;
  }

  /**
   * Returns the prototypes of the functions of a PDB by RVA in the image: by the types of
   * procedures, else by the decorated names of public symbols, which tell less; those of which
   * neither tells the convention are left out.
   */
  public static Map<Long, CallPrototype> of(PdbFile pdb) {
    Map<Long, String> names = new LinkedHashMap<>();
    int count = pdb.publics().map(PublicSymbols::count).orElse(0);
    for (int i = 0; i < count; i++) {
      pdb.publicSymbol(i)
          .filter(Public::isFunction)
          .filter(symbol -> pdb.toImage(symbol) >= 0)
          .ifPresent(
              symbol -> names.merge(pdb.toImage(symbol), symbol.name(), Prototypes::telling));
    }
    Map<Long, CallPrototype> all = ofTypes(pdb, names.keySet());
    names.forEach((rva, name) -> add(rva, name, all));
    return all;
  }

  /** Returns the one of two names of a function that tells more, or the first. */
  private static String telling(String first, String second) {
    return of(first).isEmpty() ? second : first;
  }

  /**
   * Returns those that the types of procedures tell.
   *
   * @param known RVAs of functions that all files may call: compilers choose other places for
   *     arguments only where they see each call
   */
  static Map<Long, CallPrototype> ofTypes(PdbFile pdb, Set<Long> known) {
    Map<Long, CallPrototype> all = new HashMap<>();
    for (PdbModule module : pdb.modules()) {
      for (Procedure procedure : pdb.symbols(module).procedures()) {
        long linked = pdb.rva(procedure.section(), procedure.offset());
        long rva = pdb.toImage(linked, procedure.length());
        if (rva < 0 || procedure.isManaged()) {
          continue;
        }
        long type =
            procedure.hasItem() ? pdb.typeNames().typeOf(procedure.type()) : procedure.type();
        boolean isFixed =
            (procedure.isGlobal() || known.contains(rva)) && (procedure.flags() & CUSTOM_CALL) == 0;
        pdb.typeNames()
            .calling(type)
            .flatMap(Prototypes::of)
            .map(prototype -> isFixed ? prototype : prototype.assumed())
            .ifPresent(prototype -> all.putIfAbsent(rva, prototype));
      }
    }
    return all;
  }

  private static void add(long rva, String name, Map<Long, CallPrototype> all) {
    CallPrototype typed = all.get(rva);
    // Assemblers give each procedure the type of one without parameters.
    boolean saysNothing = typed != null && typed.equals(NONE);
    if (typed == null || saysNothing && CallConvention.of(name).words() > 0) {
      of(name).ifPresent(prototype -> all.put(rva, prototype));
    }
  }

  /**
   * Returns the prototypes of the functions of a COFF symbol table by RVA, as far as their names
   * tell the convention. One that only its own file calls has its arguments where its compiler
   * likes: GCC passes up to three in registers, whatever the name says.
   */
  public static Map<Long, CallPrototype> of(CoffSymbols symbols) {
    Map<Long, CallPrototype> all = new HashMap<>();
    for (boolean isExternal : new boolean[] {true, false}) {
      for (CoffSymbols.Symbol symbol : symbols.functions()) {
        if (symbol.isExternal() == isExternal && symbol.isFunction()) {
          of(symbol.name())
              .map(prototype -> isExternal ? prototype : prototype.assumed())
              .ifPresent(prototype -> all.putIfAbsent(symbol.rva(), prototype));
        }
      }
    }
    return all;
  }

  /** Returns where a function has its arguments, as its decorated name tells it, if it does. */
  static Optional<CallPrototype> of(String name) {
    CallConvention told = CallConvention.of(name);
    if (!told.isKnown()) {
      return Optional.empty();
    }
    Prototypes its = new Prototypes(Convention.valueOf(told.title().toUpperCase(Locale.ROOT)));
    int registers = (told.inEcx() ? 1 : 0) + (told.inEdx() ? 1 : 0);
    for (int i = 0; i < Math.min(told.words() < 0 ? registers : told.words(), MOST_PLACES); i++) {
      its.word();
    }
    return Optional.of(
        new CallPrototype(
            its.convention, its.places, told.words() < 0, CallConvention.returnsWide(name)));
  }

  /** Returns where a function of a type has its arguments; empty if the convention is another. */
  static Optional<CallPrototype> of(FunctionType type) {
    return convention(type.convention()).map(found -> new Prototypes(found).prototype(type));
  }

  private static Optional<Convention> convention(int number) {
    return switch (number) {
      case 0x00 -> Optional.of(Convention.CDECL);
      case 0x04 -> Optional.of(Convention.FASTCALL);
      case 0x07 -> Optional.of(Convention.STDCALL);
      case 0x0B -> Optional.of(Convention.THISCALL);
      case 0x18 -> Optional.of(Convention.VECTORCALL);
      default -> Optional.empty();
    };
  }

  private CallPrototype prototype(FunctionType type) {
    if (type.hasThis()) {
      word();
    }
    Value result = type.result();
    if (result.kind() == Kind.STRUCTURE) {
      boolean isHidden = type.isMember() && type.hasThis() || type.returnsByConstructor();
      if (isHidden || !isOfRegisters(result.bytes())) {
        // Unknown sizes may be those of registers.
        isIncomplete = !isHidden && result.bytes() == 0;
        if (!isIncomplete) {
          // The address where the result is to be made; ecx may have the object.
          word();
        }
      }
    }
    for (Value parameter : type.parameters()) {
      if (isIncomplete || places.size() >= MOST_PLACES) {
        break;
      }
      add(parameter);
    }
    boolean isWide = result.kind() == Kind.WORD && result.bytes() == WIDE;
    return new CallPrototype(convention, places, isIncomplete || type.isVariadic(), isWide);
  }

  private static boolean isOfRegisters(long bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == WIDE;
  }

  private int mostRegisters() {
    return switch (convention) {
      case CDECL, STDCALL -> 0;
      case THISCALL -> 1;
      case FASTCALL, VECTORCALL -> 2;
    };
  }

  /** Adds a word that may be in a register. */
  private void word() {
    if (registers < mostRegisters()) {
      places.add(registers == 0 ? ECX : EDX);
      registers++;
    } else {
      stack(1);
    }
  }

  private void stack(long count) {
    for (int i = 0; i < count && places.size() < MOST_PLACES; i++) {
      places.add(STACK + words);
      words++;
    }
  }

  private void add(Value parameter) {
    if (parameter.bytes() == 0) {
      isIncomplete = true;
    } else if (convention == Convention.VECTORCALL && parameter.kind() != Kind.WORD) {
      if (parameter.kind() == Kind.FLOAT && vectors < MOST_XMM) {
        places.add(XMM + vectors);
        vectors++;
      } else {
        // Structures may lie in vector registers, by what they consist of.
        isIncomplete = true;
      }
    } else if (parameter.kind() == Kind.WORD
        && parameter.bytes() <= Integer.BYTES
        && convention != Convention.THISCALL) {
      word();
    } else {
      stack(Math.ceilDiv(parameter.bytes(), Integer.BYTES));
    }
  }
}
