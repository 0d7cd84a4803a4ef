package io.ntrail.formats.schema;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The types of arguments in TMF files, those that the standard configuration of WPP uses. Written
 * from descriptions: there was no TMF file of a real program to compare with.
 */
final class TmfItemTypes {
  private TmfItemTypes() {}

  /**
   * One argument.
   *
   * @param type {@code ItemLong}, {@code ItemListByte(no,yes)}; in any case
   * @return null if the type is not known
   */
  static @Nullable Field field(String name, String type) {
    int open = type.indexOf('(');
    int close = type.lastIndexOf(')');
    String item = (open < 0 ? type : type.substring(0, open)).strip().toLowerCase(Locale.ROOT);
    String names = open >= 0 && close > open ? type.substring(open + 1, close) : "";
    return switch (item) {
      case "itemchar" -> Field.of(name, InType.INT8);
      case "itemuchar" -> Field.of(name, InType.UINT8);
      case "itemwchar" -> Field.of(name, InType.UNICODE_CHAR);
      case "itemshort" -> Field.of(name, InType.INT16);
      case "itemushort" -> Field.of(name, InType.UINT16);
      case "itemlong" -> Field.of(name, InType.INT32);
      case "itemulong" -> Field.of(name, InType.UINT32);
      case "itemlonglong", "itemtimedelta", "itemwaittime" -> Field.of(name, InType.INT64);
      case "itemulonglong" -> Field.of(name, InType.UINT64);
      case "itemlonglongx", "itemlonglongxx", "itemlonglongo" -> Field.of(name, InType.HEX_INT64);
      case "itemdouble" -> Field.of(name, InType.DOUBLE);
      case "itemptr" -> Field.of(name, InType.POINTER);
      case "itemstring", "itemrstring", "itemmlstring" -> Field.of(name, InType.ANSI_STRING);
      case "itemwstring", "itemrwstring" -> Field.of(name, InType.UNICODE_STRING);
      case "itempstring" -> Field.of(name, InType.COUNTED_ANSI);
      case "itempwstring" -> Field.of(name, InType.COUNTED_STRING);
      case "itemguid", "itemclsid", "itemlibid", "itemiid" -> Field.of(name, InType.GUID);
      case "itemtimestamp" -> Field.of(name, InType.FILETIME);
      case "itemntstatus", "itemnterror" -> Field.of(name, InType.UINT32).out(OutType.NTSTATUS);
      case "itemwinerror" -> Field.of(name, InType.UINT32).out(OutType.WIN32_ERROR);
      case "itemhresult" -> Field.of(name, InType.UINT32).out(OutType.HRESULT);
      case "itemndis_status", "itemndis_oid" -> Field.of(name, InType.HEX_INT32);
      case "itemipaddr" -> Field.of(name, InType.UINT32).out(OutType.IPV4);
      case "itemipv6addr" -> bytes(name, 16).out(OutType.IPV6);
      case "itemmacaddr" -> bytes(name, 6);
      case "itemport" -> Field.of(name, InType.UINT16).out(OutType.PORT);
      case "itemsid" -> Field.of(name, InType.SID);
      case "itemhexdump" -> Field.of(name, InType.COUNTED_BINARY);
      // The names of an enumeration are in the program's symbols only.
      case "itemenum", "itemflagsenum" -> Field.of(name, InType.UINT32);
      case "itemlistbyte" -> Field.of(name, InType.UINT8).map(list(item, names));
      case "itemlistshort" -> Field.of(name, InType.UINT16).map(list(item, names));
      case "itemlistlong" -> Field.of(name, InType.UINT32).map(list(item, names));
      case "itemsetbyte" -> Field.of(name, InType.UINT8).map(set(item, names));
      case "itemsetshort" -> Field.of(name, InType.UINT16).map(set(item, names));
      case "itemsetlong" -> Field.of(name, InType.UINT32).map(set(item, names));
      default -> null;
    };
  }

  private static Field bytes(String name, int length) {
    return Field.of(name, InType.BINARY).length(LengthSpec.fixed(length));
  }

  /** Names of 0, 1, 2 and so on. */
  private static ValueMap list(String item, String names) {
    Map<Long, String> texts = new LinkedHashMap<>();
    String[] all = names.split(",", -1);
    for (int i = 0; i < all.length; i++) {
      if (!all[i].isBlank()) {
        texts.put((long) i, all[i].strip());
      }
    }
    return new ValueMap(item, false, texts);
  }

  /** Names of the bits from the lowest on. */
  private static ValueMap set(String item, String names) {
    Map<Long, String> texts = new LinkedHashMap<>();
    String[] all = names.split(",", 65);
    for (int i = 0; i < Math.min(all.length, 64); i++) {
      if (!all[i].isBlank()) {
        texts.put(1L << i, all[i].strip());
      }
    }
    return new ValueMap(item, true, texts);
  }
}
