package io.ntrail.testkit.etl;

import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.EventInfoWriter;
import io.ntrail.testkit.described.ManifestWriter;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.described.TypedEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Events of the programs of the sample recording: TraceLogging events of Shop-App, events of
 * Shop-Store and of the name resolution whose descriptions the merger adds, events of the
 * EventSource Shop-Pages that sends its manifest.
 */
final class SampleEvents {
  private static final String APP = "Shop-App";
  private static final String STORE = "Shop-Store";
  private static final String[] ITEMS = {"red boots", "tea 250g", "lamp", "rope 20 m"};
  private static final String[] NAMES = {"Ada", "Jos\u00E9", "Mia", "Noor"};
  private static final Map<Long, String> STATES =
      inOrder("New", 0, "Paid", 1, "Packed", 2, "Sent", 3, "Lost", 9);
  private static final Map<Long, String> OPTIONS = inOrder("Express", 1, "Gift", 2, "Insured", 4);
  private static final Map<Long, String> KINDS = inOrder("Static", 0, "Search", 1, "Basket", 2);

  private final SplittableRandom random;
  private int orders = 4100;

  SampleEvents(SplittableRandom random) {
    this.random = random;
  }

  private static Map<Long, String> inOrder(Object... textsAndValues) {
    Map<Long, String> out = new LinkedHashMap<>();
    for (int i = 0; i < textsAndValues.length; i += 2) {
      out.put(((Integer) textsAndValues[i + 1]).longValue(), (String) textsAndValues[i]);
    }
    return out;
  }

  private static EtlRecord app(long time, int pid, int tid, TraceLoggingEvent event) {
    return DescribedRecords.traceLogging(8, SampleRecording.SHOP_APP, APP, event)
        .time(time)
        .thread(pid, tid)
        .build();
  }

  /** UTF-8, an integer and a number with a point. */
  EtlRecord request(long time, int pid, int tid) {
    String query = ITEMS[random.nextInt(ITEMS.length)];
    return app(
        time,
        pid,
        tid,
        new TraceLoggingEvent("Request")
            .field("query", 2, 35, EncodedValue.narrow(query))
            .field("matches", 8, 0, EncodedValue.unsigned(4, random.nextInt(1, 90)))
            .field("milliseconds", 12, 0, EncodedValue.f64(random.nextInt(200, 9000) / 1000.0)));
  }

  /** UTF-16 and an array of variable length. */
  EtlRecord stockLow(long time, int pid, int tid) {
    List<EncodedValue> left = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      left.add(EncodedValue.unsigned(2, random.nextInt(9)));
    }
    return app(
        time,
        pid,
        tid,
        new TraceLoggingEvent("StockLow")
            .field("item", 1, 0, EncodedValue.wide("boots/red"))
            .counted("left", 6, 0, left));
  }

  /** A structure, a GUID, an address, a point in time and an array. */
  EtlRecord orderPlaced(long time, long fileTime, int pid, int tid) {
    String name = NAMES[random.nextInt(NAMES.length)];
    List<EncodedValue> cents = new ArrayList<>();
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      cents.add(EncodedValue.unsigned(4, 100L * random.nextInt(1, 90) + 99));
    }
    UUID id = new UUID(random.nextLong() & ~0xF000L | 0x4000, random.nextLong() >>> 2 | 1L << 63);
    int host = random.nextInt(2, 250);
    return app(
        time,
        pid,
        tid,
        new TraceLoggingEvent("OrderPlaced")
            .field("order", 10, 0, EncodedValue.unsigned(8, ++orders))
            .struct(
                "customer",
                s ->
                    s.field("name", 22, 0, EncodedValue.countedWide(name))
                        .field("id", 15, 0, EncodedValue.guid(id))
                        .field("address", 8, 8, EncodedValue.ipv4(10, 20, 0, host)))
            .field("placed", 17, 38, EncodedValue.fileTime(fileTime))
            .field("express", 13, 0, EncodedValue.bool(4, random.nextBoolean()))
            .counted("cents", 8, 0, cents));
  }

  /** A status of the kernel and hexadecimal numbers. */
  EtlRecord storeFailed(long time, int pid, int tid) {
    long[] states = {0xC000_0043L, 0xC000_0054L, 0xC000_022DL};
    return app(
        time,
        pid,
        tid,
        new TraceLoggingEvent("StoreFailed")
            .field("file", 1, 0, EncodedValue.wide("C:\\shop\\stock.db"))
            .field("status", 8, 14, EncodedValue.hex(4, states[random.nextInt(states.length)]))
            .field("offset", 10, 4, EncodedValue.hex(8, 65536L * random.nextInt(400)))
            .field("retries", 4, 0, EncodedValue.unsigned(1, random.nextInt(4))));
  }

  /** A security identifier, a port, an address of IPv6, bytes and JSON. */
  EtlRecord sessionOpened(long time, int pid, int tid) {
    byte[] token = new byte[12];
    random.nextBytes(token);
    EncodedValue user = EncodedValue.sid(5, 21, 1_004_336_348L, 1_177_238_915L, 682_003_330L, 1001);
    EncodedValue peer =
        EncodedValue.ipv6(0x2001, 0xDB8, 0, 0, 0, 0, 0x20, random.nextInt(1, 0xFFFF));
    return app(
        time,
        pid,
        tid,
        new TraceLoggingEvent("SessionOpened")
            .field("user", 19, 0, user)
            .field("port", 6, 7, EncodedValue.port(8080))
            .field("peer", 14, 9, peer.counted(2))
            .field("token", 14, 0, EncodedValue.binary(token).counted(2))
            .field("settings", 2, 12, EncodedValue.narrow("{\"lang\":\"en\",\"beta\":true}")));
  }

  private static EventInfoWriter orderInfo() {
    return new EventInfoWriter(SampleRecording.SHOP_STORE, STORE, 1, 1)
        .descriptor(16, 4, 11, 1, 0x8000_0000_0000_0001L)
        .names("Information", "Order", "Change", "Orders")
        .message("order %1 of %4 is now %2 (%3)");
  }

  private static TypedEvent order(int order, int state, int options, String item) {
    List<String> set = new ArrayList<>();
    OPTIONS.forEach((bit, name) -> {
      if ((options & bit) != 0) {
        set.add(name);
      }
    });
    return new TypedEvent()
        .field("OrderId", 8, 8, EncodedValue.unsigned(4, order))
        .mapped(
            "State", 8, "OrderStates", EncodedValue.unsigned(4, state), STATES.get((long) state))
        .mapped(
            "Options",
            8,
            "OrderOptions",
            EncodedValue.unsigned(4, options),
            set.isEmpty() ? null : String.join("|", set))
        .field("Item", 1, 1, EncodedValue.wide(item));
  }

  /** Two value maps; the order is the last one that was placed. */
  EtlRecord orderState(long time, int pid, int tid) {
    long[] states = STATES.keySet().stream().mapToLong(Long::longValue).toArray();
    int state = (int) states[random.nextInt(states.length)];
    TypedEvent event = order(orders, state, random.nextInt(8), ITEMS[random.nextInt(ITEMS.length)]);
    return DescribedRecords.typed(8, SampleRecording.SHOP_STORE, 1, 1, event)
        .opcode(11)
        .descriptor(16, 1, 0x8000_0000_0000_0001L)
        .time(time)
        .thread(pid, tid)
        .build();
  }

  private static EventInfoWriter shelfInfo() {
    return new EventInfoWriter(SampleRecording.SHOP_STORE, STORE, 2, 0)
        .descriptor(16, 5, 0, 2, 0x8000_0000_0000_0002L)
        .names("Verbose", "Shelf", "", "Shelves")
        .message("%1 shelves scanned");
  }

  private static TypedEvent shelves(List<Integer> pieces) {
    return new TypedEvent()
        .field("Count", 6, 0, EncodedValue.unsigned(2, pieces.size()))
        .structs(
            "Shelves",
            "Count",
            s -> shelf(s, 0, 0),
            pieces.stream()
                .<Consumer<TypedEvent>>map(many -> s -> shelf(s, 'A' + many % 26, many))
                .toList());
  }

  private static void shelf(TypedEvent shelf, int letter, int pieces) {
    shelf
        .field("Name", 1, 1, EncodedValue.wide("shelf " + (char) letter))
        .field("Pieces", 8, 0, EncodedValue.unsigned(4, pieces))
        .field("Key", 16, 0, EncodedValue.hex(8, 0x1D4_0000_0000L + 64L * pieces));
  }

  /** An array of structures whose length is in a field. */
  EtlRecord shelfScan(long time, int pid, int tid) {
    List<Integer> pieces = new ArrayList<>();
    for (int i = random.nextInt(2, 5); i > 0; i--) {
      pieces.add(random.nextInt(60));
    }
    return DescribedRecords.typed(8, SampleRecording.SHOP_STORE, 2, 0, shelves(pieces))
        .level(5)
        .descriptor(16, 2, 0x8000_0000_0000_0002L)
        .time(time)
        .thread(pid, tid)
        .build();
  }

  private static TypedEvent look() {
    return new TypedEvent()
        .field("QueryName", 1, 1, EncodedValue.wide("stock.shop.example"))
        .field("QueryType", 8, 8, EncodedValue.unsigned(4, 1))
        .field("QueryOptions", 10, 10, EncodedValue.unsigned(8, 0x4000_6000L));
  }

  /** A look-up of the system's name resolution. */
  static EtlRecord lookUp(long time, int pid, int tid) {
    return DescribedRecords.typed(8, SampleRecording.DNS_CLIENT, 3006, 0, look())
        .descriptor(16, 0, 0x8000_0000_0000_0000L)
        .time(time)
        .thread(pid, tid)
        .build();
  }

  private static TypedEvent page(String url, int kind, int bytes) {
    return new TypedEvent()
        .field("url", 1, 0, EncodedValue.wide(url))
        .mapped("kind", 8, "PageKind", EncodedValue.unsigned(4, kind), KINDS.get((long) kind))
        .field("bytes", 7, 0, EncodedValue.signed(4, bytes))
        .field("cached", 13, 0, EncodedValue.bool(4, bytes < 4000));
  }

  /** The events with which Shop-Pages sends its manifest. */
  static List<EtlRecord> pagesManifest(long time, int pid, int tid) {
    String xml =
        new ManifestWriter("Shop-Pages", SampleRecording.SHOP_PAGES)
            .map("PageKind", false, KINDS)
            .event(1, 0, "PageBuilt", "PageBuilt", "", "%1: %3 bytes", page("", 0, 0))
            .write();
    List<EtlRecord> out = new ArrayList<>();
    for (EtlRecords chunk : DescribedRecords.manifest(8, SampleRecording.SHOP_PAGES, xml, 1000)) {
      out.add(chunk.time(time + out.size()).thread(pid, tid).build());
    }
    return out;
  }

  /** An event that the manifest of Shop-Pages describes. */
  EtlRecord pageBuilt(long time, int pid, int tid) {
    int kind = random.nextInt(KINDS.size());
    TypedEvent event = page("/restock/" + random.nextInt(1, 40), kind, random.nextInt(900, 9000));
    return DescribedRecords.typed(8, SampleRecording.SHOP_PAGES, 1, 0, event)
        .descriptor(0, 0xFFFD, 0xF000_0000_0000L)
        .time(time)
        .thread(pid, tid)
        .build();
  }

  /** The descriptions that the merger adds. */
  static List<EtlRecords> descriptions() {
    UUID store = SampleRecording.SHOP_STORE;
    EventInfoWriter look =
        new EventInfoWriter(SampleRecording.DNS_CLIENT, "Microsoft-Windows-DNS-Client", 3006, 0)
            .descriptor(16, 4, 0, 0, 0x8000_0000_0000_0000L)
            .names("Information", "", "", "")
            .message("DNS query is called for the name %1, type %2, query options %3");
    return List.of(
        DescribedRecords.eventInfo(look, look()),
        DescribedRecords.eventInfo(orderInfo(), order(0, 0, 0, "")),
        DescribedRecords.eventInfo(shelfInfo(), shelves(List.of())),
        DescribedRecords.mapInfo(store, "OrderStates", false, STATES),
        DescribedRecords.mapInfo(store, "OrderOptions", true, OPTIONS));
  }
}
