package io.ntrail.analysis.x86;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.code.*;
import java.nio.file.*;
import java.util.*;
public class ZydisExplore {
  public static void main(String[] a) throws Exception {
    Path f = Files.createTempDirectory("zx");
    ZydisOperands z = ZydisOperands.in(f).orElseThrow();
    Map<String,Integer> n = new TreeMap<>(); Map<String,String> ex = new TreeMap<>();
    ZydisLine ours = new ZydisLine(); Instruction ins = new Instruction(); Operands ops = new Operands();
    ZydisText zt=new ZydisText(); long count=0, same=0, lenDiff=0;
    List<Object[]> work = new ArrayList<>();
    for (String arg : a) {
      if (arg.startsWith("random")) { String[] p = arg.split(":"); work.add(new Object[]{Integer.parseInt(p[1]), "first", CodeChunks.of(RandomCode.strings(Long.parseLong(p[3]), Integer.parseInt(p[2])))}); }
      else { Path p = Path.of(arg); List<Path> files = Files.isDirectory(p) ? Files.list(p).sorted().toList() : List.of(p);
        for (Path q : files) { byte[] b = Files.readAllBytes(q); if (b.length>2 && b[0]==0x1f && b[1]==(byte)0x8b) b = new java.util.zip.GZIPInputStream(new java.io.ByteArrayInputStream(b)).readAllBytes(); int bits = PeCode.bits(b); if (bits!=0) work.add(new Object[]{bits,"sweep",PeCode.of(b)}); } }
    }
    boolean textToo = Boolean.getBoolean("text");
    for (Object[] w : work) {
      int bits=(int)w[0]; CodeChunks c=(CodeChunks)w[2]; boolean first = w[1].equals("first");
      InstructionDecoder d = InstructionDecoder.of(CodeSize.valueOf("BITS"+bits)); OperandReader r = OperandReader.of(d);
      Bytes bytes = Bytes.copyOf(c.bytes(), "x");
      try (var in = z.lines(bits,(String)w[1],c)) {
        for (int i=0;i<c.count();i++) { int at=c.offsets()[i], end=at+c.lengths()[i];
          while (at<end) { String line=in.readLine(); count++;
            int len = line.charAt(0)=='0'?0:Integer.parseInt(line.substring(0,line.indexOf('\t')));
            int mine = d.decode(bytes,at,end,ins);
            if (len!=mine) { lenDiff++; String k=bits+" LEN "+(len==0?"Z0 ":"Z "+line.split("\t")[1]+" ")+(mine==0?ins.refusal().map(x->x.text()).orElse("?"):new Opcodes(CodeSize.valueOf("BITS"+bits)).features(Arrays.copyOfRange(c.bytes(),at,at+mine))+""); n.merge(k,1,Integer::sum); int at0=at; ex.computeIfAbsent(k,q->HexFormat.of().formatHex(c.bytes(),at0,Math.min(end,at0+15))); }
            else if (len>0) { r.read(ins,ops); String o = ours.of(ins,ops);
              if (!line.startsWith(o)) { String[] t=line.split("\t",-1); String[] u=o.split("\t",-1);
                String key = bits+" "+(t[1].equals(u[1])?t[1]:t[1]+"/"+u[1])+" "+(t[2].equals(u[2])?"":"P")+(t[3].equals(u[3])?"":"D")+(t[4].equals(u[4])?"":"O"+shape(t[4])+"/"+shape(u[4]));
                n.merge(key,1,Integer::sum); int at0=at; ex.computeIfAbsent(key,k->HexFormat.of().formatHex(c.bytes(),at0,at0+len)+" Z"+String.join("|",t[2],t[3],t[4])+"  O"+String.join("|",u[2],u[3],u[4])); }
              else { same++; if (Boolean.getBoolean("effects")) { String[] t=line.split("\t",-1); String fo=ZydisEffects.ours(Effects.of(ins,ops)); String fz=ZydisEffects.theirs(t); if(!fo.equals(fz)) { String key=bits+" EFF "+t[1]+" "+t[4].replaceAll("([mijrpa]):[^ ]*","$1"); n.merge(key,1,Integer::sum); int at0=at; ex.computeIfAbsent(key,q->HexFormat.of().formatHex(c.bytes(),at0,at0+len)+" "+t[5]+"\n    Z "+fz+"\n    O "+fo); } }
 if (textToo) { String[] t=line.split("\t",-1); String mine2=IntelSyntax.text(ins,ops,at); String mn=ops.mnemonic(); String zm=t[1]; if(!zt.same(mine2,mn,t[5],zm)) { String key=bits+" TEXT "+zm+" "+t[4].replaceAll("([mijrpa]):[^ ]*","$1"); n.merge(key,1,Integer::sum); int at0=at; ex.computeIfAbsent(key,q->HexFormat.of().formatHex(c.bytes(),at0,at0+len)+" Z["+zt.theirs()+"] O["+zt.ours()+"]"); } } } }
            if (first) break; at+=Math.max(1,len); } }
      }
    }
    System.out.println(count+" same "+same+" length "+lenDiff+" kinds "+n.size());
    n.entrySet().stream().sorted((x,y)->y.getValue()-x.getValue()).limit(Integer.getInteger("n",150)).forEach(e->System.out.println(e.getValue()+" "+e.getKey()+"   "+ex.get(e.getKey())));
  }
  static String shape(String s) { return s.replaceAll("([mijrpa]):[^ ]*","$1").replace(" ",""); }
}
