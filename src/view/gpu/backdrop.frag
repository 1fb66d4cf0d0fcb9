// A quiet background: light behind the character, darker towards top and bottom.

uniform vec3 skyColor;
uniform vec3 horizonColor;
uniform vec3 floorColor;

in vec2 uvs;

layout (location = 0) out vec4 outColor;

// A little noise, smaller than one step of 8 bits, keeps the gradient from showing bands.
float noise(vec2 p)
{
    return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))) - 0.5;
}

void main()
{
    float up = smoothstep(0.42, 1.05, uvs.y);
    float down = smoothstep(0.48, -0.05, uvs.y);
    vec3 color = mix(mix(horizonColor, skyColor, up), floorColor, down);
    vec2 aside = (uvs - vec2(0.5, 0.48)) * vec2(1.1, 1.0);
    color = mix(color, color * 0.93, smoothstep(0.30, 0.85, length(aside)));
    outColor = vec4(color + noise(gl_FragCoord.xy) / 255.0, 1.0);
}
