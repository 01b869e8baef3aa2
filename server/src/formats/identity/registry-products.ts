/**
 * What NVD calls packages of registries: used where the records of the registry are not loaded, since NVD knows nothing of coordinates. Only
 * products that are this package and nothing else, whose versions are those of the package.
 */
import type { PairOrigin } from './canonical.ts'
import type { DeclaredPurl, Name } from './identifiers.ts'

interface StandIns {
  type: string
  origin: Extract<PairOrigin, 'stand-in' | 'stand-in of whole'>
  source: string
  /** `name=vendor:product`, with `,` between products; of Maven `group/artifact`. */
  names: string
}

const TABLE: readonly StandIns[] = [
  {
    type: 'maven',
    origin: 'stand-in',
    source:
      'scanoss/purl2cpe ebede2f8eff2 (data/<vendor>/<product>/purls.yml); further vendors as in the CPE dictionary',
    names: `com.fasterxml.jackson.core/jackson-databind=fasterxml:jackson-databind
    com.thoughtworks.xstream/xstream=xstream:xstream,xstream_project:xstream,x-stream:xstream
    org.apache.ant/ant=apache:ant ant/ant=apache:ant com.h2database/h2=h2database:h2
    org.springframework/spring=springsource:spring_framework,pivotal_software:spring_framework,vmware:spring_framework
    io.netty/netty=netty:netty io.netty/netty-all=netty:netty
    org.apache.commons/commons-collections4=apache:commons_collections org.apache.commons/commons-compress=apache:commons_compress
    org.apache.commons/commons-text=apache:commons_text commons-io/commons-io=apache:commons_io
    org.apache.commons/commons-configuration2=apache:commons_configuration org.apache.commons/commons-email=apache:commons_email
    org.apache.httpcomponents/httpclient=apache:httpclient org.apache.tomcat/tomcat=apache:tomcat com.google.guava/guava=google:guava
    org.yaml/snakeyaml=snakeyaml_project:snakeyaml dom4j/dom4j=dom4j_project:dom4j org.dom4j/dom4j=dom4j_project:dom4j
    org.hibernate.validator/hibernate-validator=redhat:hibernate_validator,hibernate:hibernate-validator
    org.hibernate/hibernate-validator=redhat:hibernate_validator,hibernate:hibernate-validator
    org.apache.shiro/shiro-core=apache:shiro com.google.protobuf/protobuf-java=google:protobuf-java
    org.apache.velocity/velocity-engine-core=apache:velocity_engine org.apache.xmlbeans/xmlbeans=apache:xmlbeans
    org.apache.poi/poi=apache:poi org.apache.pdfbox/pdfbox=apache:pdfbox
    org.jsoup/jsoup=jsoup:jsoup org.thymeleaf/thymeleaf=thymeleaf:thymeleaf com.hazelcast/hazelcast=hazelcast:hazelcast
    org.apache.zookeeper/zookeeper=apache:zookeeper org.apache.mina/mina-core=apache:mina
    org.apache.sshd/sshd-core=apache:mina_sshd,apache:sshd org.apache.axis/axis=apache:axis
    org.codehaus.plexus/plexus-utils=plexus-utils_project:plexus-utils,codehaus-plexus:plexus-utils org.jdom/jdom2=jdom:jdom
    com.jayway.jsonpath/json-path=json-path:jayway_jsonpath org.codehaus.jettison/jettison=jettison_project:jettison
    org.apache.groovy/groovy=apache:groovy org.apache.santuario/xmlsec=apache:santuario_xml_security_for_java
    net.sourceforge.nekohtml/nekohtml=nekohtml_project:nekohtml org.owasp.antisamy/antisamy=antisamy_project:antisamy
    c3p0/c3p0=mchange:c3p0 com.mchange/c3p0=mchange:c3p0 cn.hutool/hutool-all=hutool:hutool,dromara:hutool
    org.mybatis/mybatis=mybatis:mybatis com.alibaba/druid=alibaba:druid`,
  },
  {
    type: 'maven',
    origin: 'stand-in',
    source:
      'vendor and product of the CPE dictionary (tiiuae/cpedict 21a40b2ee504); coordinates as the project publishes them',
    names: `log4j/log4j=apache:log4j org.apache.logging.log4j/log4j-core=apache:log4j
    commons-fileupload/commons-fileupload=apache:commons_fileupload commons-collections/commons-collections=apache:commons_collections
    commons-beanutils/commons-beanutils=apache:commons_beanutils commons-configuration/commons-configuration=apache:commons_configuration
    commons-httpclient/commons-httpclient=apache:commons-httpclient
    org.apache.tomcat.embed/tomcat-embed-core=apache:tomcat org.apache.tomcat/tomcat-catalina=apache:tomcat
    com.google.code.gson/gson=google:gson org.hibernate/hibernate-core=hibernate:hibernate_orm
    org.hibernate.orm/hibernate-core=hibernate:hibernate_orm org.apache.struts/struts2-core=apache:struts
    org.eclipse.jetty/jetty-server=eclipse:jetty org.mortbay.jetty/jetty=mortbay:jetty,mortbay_jetty:jetty
    io.undertow/undertow-core=redhat:undertow
    org.postgresql/postgresql=postgresql:postgresql_jdbc_driver postgresql/postgresql=postgresql:postgresql_jdbc_driver
    mysql/mysql-connector-java=oracle:mysql_connector/j com.mysql/mysql-connector-j=oracle:mysql_connector/j
    xerces/xercesImpl=apache:xerces2_java xalan/xalan=apache:xalan-java com.alibaba/fastjson=alibaba:fastjson
    org.json/json=stleary:json-java,json-java_project:json-java com.squareup.okhttp3/okhttp=squareup:okhttp
    com.squareup.okhttp/okhttp=squareup:okhttp com.squareup.okio/okio=squareup:okio com.fasterxml.woodstox/woodstox-core=fasterxml:woodstox
    org.quartz-scheduler/quartz=softwareag:quartz org.xerial/sqlite-jdbc=sqlite_jdbc_project:sqlite_jdbc
    org.codehaus.groovy/groovy=apache:groovy org.codehaus.groovy/groovy-all=apache:groovy
    ${['jdk14', 'jdk15', 'jdk15on', 'jdk15to18', 'jdk16', 'jdk18on']
      .map(
        (jdk) =>
          `org.bouncycastle/bcprov-${jdk}=bouncycastle:bc-java,bouncycastle:bouncy_castle_for_java,bouncycastle:legion-of-the-bouncy-castle-java-crytography-api`,
      )
      .join(' ')}`,
  },
  {
    type: 'maven',
    origin: 'stand-in of whole',
    source: 'modules of one build (pom.xml, build.gradle), of which NVD knows the whole',
    names: `${[
      'core',
      'beans',
      'context',
      'expression',
      'web',
      'webmvc',
      'webflux',
      'messaging',
      'oxm',
    ]
      .map(
        (part) =>
          `org.springframework/spring-${part}=vmware:spring_framework,pivotal_software:spring_framework,springsource:spring_framework`,
      )
      .join(' ')}
    ${[
      'buffer',
      'codec',
      'codec-dns',
      'codec-haproxy',
      'codec-http',
      'codec-http2',
      'codec-smtp',
      'common',
      'handler',
      'handler-proxy',
      'resolver',
      'resolver-dns',
      'transport',
    ]
      .map((part) => `io.netty/netty-${part}=netty:netty`)
      .join(' ')}
    org.jenkins-ci.main/jenkins-core=jenkins:jenkins,cloudbees:jenkins org.apache.tomcat/tomcat-coyote=apache:tomcat
    org.apache.tomcat.embed/tomcat-embed-websocket=apache:tomcat org.eclipse.jetty/jetty-http=eclipse:jetty
    org.eclipse.jetty/jetty-util=eclipse:jetty org.eclipse.jetty/jetty-servlets=eclipse:jetty org.eclipse.jetty/jetty-webapp=eclipse:jetty
    org.apache.shiro/shiro-web=apache:shiro ch.qos.logback/logback-core=qos:logback ch.qos.logback/logback-classic=qos:logback
    org.apache.poi/poi-ooxml=apache:poi org.apache.poi/poi-scratchpad=apache:poi org.apache.tika/tika-core=apache:tika
    org.apache.tika/tika-parsers=apache:tika io.vertx/vertx-core=eclipse:vert.x org.apache.activemq/activemq-client=apache:activemq
    org.apache.activemq/activemq-broker=apache:activemq org.apache.cxf/cxf-core=apache:cxf`,
  },
  {
    type: 'npm',
    origin: 'stand-in',
    source:
      'scanoss/purl2cpe ebede2f8eff2 (data/<vendor>/<product>/purls.yml); further vendors as in the CPE dictionary',
    names: `lodash=lodash:lodash jquery=jquery:jquery jquery-ui=jquery:jquery_ui,jqueryui:jquery_ui moment=momentjs:moment
    minimist=substack:minimist express=openjsf:express,expressjs:express
    handlebars=handlebarsjs:handlebars,handlebars.js_project:handlebars.js underscore=underscorejs:underscore axios=axios:axios
    node-fetch=node-fetch_project:node-fetch ws=ws_project:ws tar=npmjs:tar,isaacs:tar
    angular=angularjs:angularjs,angularjs:angular.js,angularjs:angular bootstrap=getbootstrap:bootstrap marked=marked_project:marked
    follow-redirects=follow-redirects:follow_redirects,follow-redirects_project:follow-redirects npm=npmjs:npm
    hosted-git-info=npmjs:hosted-git-info ansi-regex=ansi-regex_project:ansi-regex json5=json5:json5 qs=qs_project:qs
    debug=debug_project:debug y18n=y18n_project:y18n glob-parent=gulpjs:glob-parent path-parse=path-parse_project:path-parse
    minimatch=minimatch_project:minimatch loader-utils=webpack.js:loader-utils socket.io=socket:socket.io engine.io=socket:engine.io
    trim-newlines=trim-newlines_project:trim-newlines ua-parser-js=ua-parser-js_project:ua-parser-js undici=nodejs:undici
    node-forge=digitalbazaar:forge elliptic=indutny:elliptic,elliptic_project:elliptic highlight.js=highlightjs:highlight.js
    serialize-javascript=verizon:serialize-javascript url-parse=url-parse_project:url-parse xmldom=xmldom_project:xmldom
    @xmldom/xmldom=xmldom_project:xmldom ejs=ejs:ejs pug=pugjs:pug jsonwebtoken=auth0:jsonwebtoken tough-cookie=salesforce:tough-cookie
    prismjs=prismjs:prism nodemailer=nodemailer:nodemailer protobufjs=protobufjs_project:protobufjs set-value=set-value_project:set-value
    mixin-deep=mixin-deep_project:mixin-deep kind-of=kind-of_project:kind-of merge=merge_project:merge extend=extend_project:extend
    dot-prop=dot-prop_project:dot-prop object-path=object-path_project:object-path immer=immer_project:immer async=async_project:async
    braces=braces_project:braces xml2js=xml2js_project:xml2js tinymce=tinymce:tinymce,tiny:tinymce knex=knexjs:knex nanoid=nanoid_project:nanoid
    postcss=postcss:postcss terser=terser:terser shelljs=shelljs_project:shelljs shell-quote=shell-quote_project:shell-quote
    systeminformation=systeminformation:systeminformation mongoose=mongoosejs:mongoose sequelize=sequelizejs:sequelize nconf=nconf_project:nconf
    hoek=hapijs:hoek cookie=cookie_project:cookie body-parser=openjsf:body-parser
    serve-static=openjsf:serve-static,serve-static_project:serve-static path-to-regexp=pillarjs:path-to-regexp`,
  },
  {
    type: 'npm',
    origin: 'stand-in',
    source:
      'vendor and product of the CPE dictionary (tiiuae/cpedict 21a40b2ee504); names as the project publishes them',
    names: `dompurify=cure53:dompurify vue=vuejs:vue next=vercel:next.js,zeit:next.js semver=npmjs:semver fastify=fastify:fastify
    decode-uri-component=decode-uri-component_project:decode-uri-component`,
  },
]

type Products = Pick<StandIns, 'origin'> & { keys: readonly string[] }

const PRODUCTS: ReadonlyMap<string, Products> = new Map(
  TABLE.flatMap(({ type, origin, names }) =>
    names.split(/\s+/).map((entry) => {
      const [name = '', products = ''] = entry.split('=')
      return [`${type}/${name}`, { origin, keys: products.split(',').map((key) => `cpe:${key}`) }]
    }),
  ),
)

/** Which Java or build a release is for; NVD states none of them. */
const BUILD = /(?:[.-](?:final|release|ga|jre\d*|android|jdbc\d\w*|v\d{8})|\.sec\d+)$/i

/** The products by which NVD knows the package. */
export function listStandIns(
  { type, namespace, name }: Pick<DeclaredPurl, 'type' | 'namespace' | 'name'>,
  version: string | undefined,
): Name[] {
  const path = namespace === undefined ? name : `${namespace}/${name}`
  const products = PRODUCTS.get(`${type}/${path}`)
  if (products === undefined) return []
  const { origin, keys } = products
  const released = type === 'maven' ? version?.replace(BUILD, '') : version
  return keys.map((key) => ({ key, version: released, origin }))
}

/** Whether a name counts only where the records of the registry are not loaded. */
export function isStandIn(origin: PairOrigin | undefined): boolean {
  return origin === 'stand-in' || origin === 'stand-in of whole'
}
