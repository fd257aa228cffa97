#include "scene/scene.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static uint64_t s=88172645463325252u; static unsigned r(void){s^=s<<13;s^=s>>7;s^=s<<17;return (unsigned)(s>>11);}
static char pool[1<<20]; static size_t np; 
int main(int c,char**v){ s^=(uint64_t)atoi(v[1])*7919; double secs=atof(v[2]); 
 static char *f[300]; static size_t n[300]; int k=0; for(int i=3;i<c&&k<300;i++){FILE*h=fopen(v[i],"rb"); if(!h)continue; f[k]=malloc(200000); n[k]=fread(f[k],1,150000,h); if(n[k]>60000)n[k]=60000; fclose(h); k++;}
 static const char*tok[]={"[","]","{","}",": ","- ","&a ","*a ","\"","'","\n","  ","!!x ","1e999","-1","nan","0","null","~","type: ","box","union","of: ","<<: ","#","|","\t","? ","m/s^2","1/0 s","keyframes: ","value: ","unit: ","points","at: "};
 char*b=malloc(1<<20); long runs=0, ok=0; time_t t0=time(0); ct_heap h; ct_heap_init(&h,(ct_allocator){0});
 while(difftime(time(0),t0)<secs){ int i=(int)(r()%(unsigned)k); size_t m=n[i]; memcpy(b,f[i],m); int e=(int)(r()%8); 
  for(int j=0;j<e;j++){ unsigned w=r()%5; size_t p=m?r()%m:0; if(w==0&&m) b[p]=(char)r(); else if(w==1){const char*t=tok[r()%(sizeof tok/sizeof*tok)]; size_t l=strlen(t); memmove(b+p+l,b+p,m-p); memcpy(b+p,t,l); m+=l;} else if(w==2&&m){size_t l=r()%20; if(p+l>m)l=m-p; memmove(b+p,b+p+l,m-p-l); m-=l;} else if(w==3&&m){ size_t q=r()%m,l=r()%40; if(q+l>m)l=m-q; char t[40]; memcpy(t,b+q,l); memmove(b+p+l,b+p,m-p); memcpy(b+p,t,l); m+=l;} else if(m){ b[p]="0123456789.-eEmsk^/*()"[r()%22]; } }
  char st[64]; for(int j=0;j<63;j++) st[j]="abgrid.spcn=[]{}015 :,#xbodiesof"[r()%32]; st[r()%63]=0; st[63]=0; const char*set[1]={st};
  ct_scene*sc=0; ct_error er; ct_status x=ct_scene_parse("fz/x.yaml",b,m,set,r()%4==0,&sc,&er); runs++;
  if(x!=CT_OK&&x!=CT_BAD_SCENE){printf("status %d\n",x);abort();}
  if(!x){ ok++; ct_text t={.heap=&h}; if(ct_scene_write_used(sc,&t,&er))abort(); ct_scene*s2; if(ct_scene_parse("fz/x.yaml",t.data,t.length,NULL,0,&s2,&er)){printf("REREAD %s\n%.*s\n",er.message,(int)t.length,t.data);abort();} ct_text t2={.heap=&h}; ct_scene_write_used(s2,&t2,&er); if(strcmp(t.data,t2.data)){printf("DIFF\n");fwrite(t.data,1,t.length,stdout);printf("=====\n");fwrite(t2.data,1,t2.length,stdout);abort();} ct_text_release(&t);ct_text_release(&t2);ct_scene_destroy(s2);ct_scene_destroy(sc);} 
 }
 printf("%ld runs %ld ok\n",runs,ok); return 0;}
